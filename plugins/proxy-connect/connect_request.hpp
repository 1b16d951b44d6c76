// The request of an HTTP CONNECT client: pure functions from bytes to a destination.
//
// Strict, because a lenient parser in front of a judge is how one name is judged and another one dialled: CRLF only, one space
// between words, no control characters, HTTP/1.1. Whatever else arrives is refused with a sentence.
#pragma once

#include <pfar/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace pfar::proxy_connect {

/// How far a header has arrived.
struct HeaderScan {
    enum class State { incomplete, complete, bad };
    State state = State::incomplete;
    std::size_t size = 0; // complete: bytes up to and with the empty line
};

/// Looks at `bytes` from `known` on; what comes before was found incomplete earlier. Bad as soon as it cannot become good.
HeaderScan scan_header(std::string_view bytes, std::size_t known);

struct ConnectRequest {
    std::string host; // as it was said: IPv6 in brackets, any case
    std::uint16_t port;
};

/// `header` is complete, with its empty line. Errc::invalid with a sentence for the client.
Result<ConnectRequest> parse_connect(std::string_view header);

} // namespace pfar::proxy_connect
