// judge: may this server go there? Pure: first the name and port by the rules, then the addresses that the name has.
//
// Whoever passes both is given the addresses that were judged, and nothing else is dialled.
#pragma once

#include "base/host_name.hpp"
#include "egress/rules.hpp"

#include <pfar/egress_filter.hpp>

namespace pfar::egress {

struct NameVerdict {
    bool allowed = false;
    base::Host host; // canonical; empty if what was said is no host
    std::string why; // refused: what to tell the server
};

/// For a dns_question the port does not matter: whether anything may be asked of the name. [any thread]
NameVerdict judge_name(Rules const& rules, Destination const& destination);

/// Of the addresses of an allowed name those that may be dialled, families taking turns; none: `why`. [any thread]
Verdict judge_addresses(Rules const& rules, base::Host const& host, std::uint16_t port,
                        std::vector<boost::asio::ip::address> const& addresses);

/// The rule that would allow it, as it would be written: "api.example.com" or "db.example.com:5432".
/// The end of a refusal of its address: what would allow it; empty where no file can.
std::string private_remedy(Rules const& rules, base::Host const& host);
std::string rule_for(base::Host const& host, std::uint16_t port);

} // namespace pfar::egress
