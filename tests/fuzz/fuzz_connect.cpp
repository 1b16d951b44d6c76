// CONNECT requests: whatever a sandboxed process sends. A header that is complete at once is complete in pieces too.
#include "../../plugins/proxy-connect/connect_request.hpp"

#include <cstdlib>

using namespace pfar::proxy_connect;

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    std::string_view const bytes(reinterpret_cast<char const*>(data), size);
    auto const whole = scan_header(bytes, 0);
    HeaderScan pieces;
    for (std::size_t known = 0; known < size && pieces.state == HeaderScan::State::incomplete; ++known)
        pieces = scan_header(bytes.substr(0, known + 1), known);
    if (whole.state == HeaderScan::State::complete && (pieces.state != whole.state || pieces.size != whole.size))
        std::abort();
    if (whole.state != HeaderScan::State::complete) return 0;
    auto const request = parse_connect(bytes.substr(0, whole.size));
    if (request && (request->host.empty() || request->port == 0)) std::abort();
    return 0;
}
