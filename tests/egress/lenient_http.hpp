// An HTTP server without its sockets. It takes whatever some server somewhere takes, so that a request which a strict proxy should have
// refused is seen.
#pragma once

#include <string>
#include <string_view>

namespace test {

struct HttpRequest {
    std::string method, target, host, authorization;
    std::size_t length = 0; // of the body, where it is not chunked
    bool has_length = false, chunked = false, closes = false, waits = false, upgrades = false;
};

/// Where the head ends, after its empty line; 0: there is more to come. A first line without a version is a whole request.
std::size_t head_end(std::string_view bytes);
HttpRequest read_head(std::string_view head);
/// Where a chunked body ends, with its trailer; 0: there is more to come.
std::size_t chunks_end(std::string_view bytes);

struct HttpReply {
    std::string bytes;
    bool closes = false, upgraded = false;
};
/// Who was reached and what arrived, in the shape that the target asks for: /echo, /chunked, /close, /nothing, /hints, /upgrade.
HttpReply reply_to(HttpRequest const& request, std::string_view body, std::string const& peer);

} // namespace test
