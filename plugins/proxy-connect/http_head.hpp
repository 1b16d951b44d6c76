// The heads of HTTP/1 requests and responses: pure functions from bytes to values.
//
// Strict, because a lenient parser in front of a judge is how one name is judged and another one dialled: CRLF only, one space
// between words, one Host, one way to say where a body ends. What the origin gets is written anew, without what was for the proxy.
#pragma once

#include <pfar/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace pfar::proxy_connect {

/// How far a head has arrived.
struct HeadScan {
    enum class State { incomplete, complete, bad };
    State state = State::incomplete;
    std::size_t size = 0; // complete: bytes up to and with the empty line
};

/// Looks at `bytes` from `known` on; what comes before was found incomplete earlier. Bad at the first byte, or at the end of
/// the first line, that cannot be in a head. Requests and responses alike; how long a head may get is the caller's business.
HeadScan scan_head(std::string_view bytes, std::size_t known);

/// Where the body behind a head ends.
struct Body {
    enum class Kind { none, length, chunked, until_close };
    Kind kind = Kind::none;
    std::uint64_t length = 0;
};

struct RequestHead {
    enum class Form { connect, absolute, origin };
    Form form = Form::origin;
    std::string method, host; // the host as it was said: IPv6 in brackets, any case, a last dot
    std::uint16_t port = 0;   // not said: 80
    Body body;                // a CONNECT has none
    bool keep_alive = false;  // the client wants to send another request behind this one
    bool upgrade =
        false;           // after a 101 the connection is a tunnel (h2c is not upgraded to: its request goes on without)
    std::string forward; // the head for the origin; empty for a CONNECT
};

/// `head` is complete, with its empty line. Errc::invalid with a sentence for the client, which quotes nothing.
Result<RequestHead> parse_request(std::string_view head);

struct ResponseHead {
    unsigned status = 0;
    Body body;               // HEAD, 1xx, 204, 304 and the 2xx of a CONNECT have none
    bool keep_alive = false; // the origin takes another request after this body
};

/// `head` is complete, with its empty line; `request_method` is that of the request it answers. Errc::invalid.
/// After a 1xx other than 101 the response is still to come.
Result<ResponseHead> parse_response(std::string_view head, std::string_view request_method);

} // namespace pfar::proxy_connect
