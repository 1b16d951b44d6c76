// DNS, as far as a sandbox needs it: one question in, one address, nothing or a refusal out. Pure.
//
// Nothing is ever asked of the world: the host judges the name, and the address is one of ours (synthetic_names.hpp).
#pragma once

#include <boost/asio/ip/address_v4.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pfar::proxy_connect {

namespace asio = boost::asio;

enum class DnsCode : std::uint8_t { no_error, format_error, server_failure, no_such_name, not_implemented, refused };

inline constexpr std::uint16_t dns_type_a = 1;

struct DnsQuery {
    std::uint16_t id = 0, flags = 0;
    DnsCode code = DnsCode::no_error; // anything else: there is nothing to judge, and this is the answer
    std::string name;                 // letters, digits, '-' and '_' between dots; case as asked, without a last dot
    std::uint16_t type = 0;
    std::string question; // its bytes, for the answer: clients compare the case of every letter
    bool edns = false;
};

/// None: this is no query, and gets no answer.
std::optional<DnsQuery> parse_dns_query(std::string_view message);

/// An answer without a record: no_error says that the name has none of this type.
std::string dns_answer(DnsQuery const& query, DnsCode code);
/// An answer with one A record.
std::string dns_answer(DnsQuery const& query, asio::ip::address_v4 const& address);

/// DNS over TCP: each message has its length in front.
class DnsStream {
public:
    void take(std::string_view more);
    /// The next message that has arrived in full; ask until there is none.
    std::optional<std::string> next();

private:
    std::string bytes_;
    std::size_t read_ = 0;
};

std::string dns_framed(std::string_view message);

} // namespace pfar::proxy_connect
