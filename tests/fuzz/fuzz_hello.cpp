// The first bytes of TLS clients: in pieces they say what they say at once, and all of them are kept.
#include "../../plugins/proxy-connect/client_hello.hpp"

#include <cstdlib>

using namespace pfar::proxy_connect;

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    std::string_view const bytes(reinterpret_cast<char const*>(data), size);
    HelloReader whole, pieces;
    auto const scan = whole.take(bytes);
    for (std::size_t at = 0; at < size; ++at) pieces.take(bytes.substr(at, 1));
    auto const again = pieces.take("");
    if (again.state != scan.state || again.name != scan.name) std::abort();
    if (whole.bytes() != bytes || pieces.bytes() != bytes) std::abort();
    if (scan.name && (scan.state != HelloScan::State::complete || scan.name->empty())) std::abort();
    if (scan.name && scan.name->find_first_of(std::string_view("\0 \r\n/:", 6)) != std::string::npos) std::abort();
    return 0;
}
