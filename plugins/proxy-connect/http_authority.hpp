// `host:port`, the part of a request that is judged.
#pragma once

#include <pfar/result.hpp>

#include <cstdint>
#include <string_view>

namespace pfar::proxy_connect {

struct Authority {
    std::string_view text, host; // as they were said; IPv6 in brackets
    std::uint16_t port;

    bool is_same_as(Authority const& other) const;
};

/// `unsaid` is the port if there is none in it; 0: there has to be one. Errc::invalid. The letters are checked, and bytes above
/// ASCII pass: whether it is a name is the judge's business.
Result<Authority> parse_authority(std::string_view text, std::uint16_t unsaid);

} // namespace pfar::proxy_connect
