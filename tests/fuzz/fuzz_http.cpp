// HTTP/1 messages: whatever a sandboxed process or an origin sends. In pieces it is what it is at once; what goes on to the
// origin is read by the next parser as it was read by this one.
#include "../../plugins/proxy-connect/body_scan.hpp"
#include "../../plugins/proxy-connect/http_fields.hpp"

#include <cstdlib>

using namespace pfar::proxy_connect;

namespace {

void insist(bool holds) {
    if (!holds) std::abort();
}

HeadScan scan_in_pieces(std::string_view bytes) {
    auto scan = scan_head("", 0);
    for (std::size_t known = 0; known < bytes.size() && scan.state == HeadScan::State::incomplete; ++known)
        scan = scan_head(bytes.substr(0, known + 1), known);
    return scan;
}

void check_body(Body body, std::string_view bytes) {
    BodyScan whole(body), pieces(body);
    auto const taken = whole.take(bytes);
    std::size_t total = 0;
    for (bool good = true; good && total < bytes.size() && !pieces.done();) {
        auto const size = pieces.take(bytes.substr(total, 1));
        good = size.has_value();
        insist(good || !taken);
        if (good) total += *size;
    }
    insist(!taken || (total == *taken && pieces.done() == whole.done()));
}

void check_forward(RequestHead const& request) {
    auto const lines = split_head(request.forward);
    insist(lines && count(lines->fields, "Host") == 1);
    insist(count(lines->fields, "Proxy-Authorization") == 0);
    auto const again = parse_request(request.forward);
    insist(again && again->form == RequestHead::Form::origin && again->method == request.method);
    insist(again->host == request.host && again->port == request.port && again->upgrade == request.upgrade);
    insist(again->body.kind == request.body.kind && again->body.length == request.body.length);
    insist(again->forward == request.forward);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    std::string_view const bytes(reinterpret_cast<char const*>(data), size);
    auto const scan = scan_head(bytes, 0), pieces = scan_in_pieces(bytes);
    insist(scan.state == pieces.state && scan.size == pieces.size);
    check_body({Body::Kind::chunked, 0}, bytes);
    if (scan.state != HeadScan::State::complete) return 0;

    auto const head = bytes.substr(0, scan.size), rest = bytes.substr(scan.size);
    if (auto const request = parse_request(head)) {
        insist(!request->host.empty() && request->port != 0);
        insist(request->form == RequestHead::Form::connect ? request->forward.empty() : !request->forward.empty());
        if (!request->forward.empty()) check_forward(*request);
        check_body(request->body, rest);
    }
    for (auto const* method : {"GET", "HEAD", "CONNECT"})
        if (auto const response = parse_response(head, method)) check_body(response->body, rest);
    return 0;
}
