// The proxy's own answers, as bytes.
#pragma once

#include <string>
#include <string_view>

namespace pfar::proxy_connect {

inline constexpr std::string_view established = "HTTP/1.1 200 Connection established\r\n\r\n";

enum class Status {
    bad_request = 400,
    forbidden = 403,
    header_too_long = 431,
    bad_gateway = 502,
    busy = 503,
    undecided = 504,
};

/// A complete answer after which the connection is closed; `sentence` is its body.
std::string http_answer(Status status, std::string_view sentence);

} // namespace pfar::proxy_connect
