// Host: what somebody called a machine, in one canonical form. Rules and destinations are compared in this form and in no other.
#pragma once

#include <pfar/result.hpp>

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace pfar::base {

struct Host {
    std::string name; // lower-case A-labels, no dot at the end; or an address as the kernel writes it, without brackets
    std::optional<boost::asio::ip::address>
        address; // if it was one, in whatever spelling; IPv4 in IPv6's clothes is IPv4
};

/// Errc::invalid for what is no name and no address: control bytes, %, empty or long labels, IPv6 without brackets or with a zone.
/// [any thread]
Result<Host> canonical_host(std::string_view said);

} // namespace pfar::base
