// A response: its status, and where its body ends.
#include "http_fields.hpp"
#include "http_letters.hpp"

namespace pfar::proxy_connect {

namespace {

struct StatusLine {
    Version version;
    unsigned status;
};

// `HTTP/1.1 200 OK`; some leave the reason out, and the space before it.
Result<StatusLine> parse_status_line(std::string_view line) {
    auto const version = version_of(line.substr(0, 8));
    if (!version) return fail(Errc::invalid, "the answer is not in HTTP/1.1");
    auto const rest = line.substr(8);
    if (rest.size() < 4 || rest[0] != ' ' || rest[1] == '0' || (rest.size() > 4 && rest[4] != ' ') ||
        !std::all_of(rest.begin() + 1, rest.begin() + 4, is_digit))
        return fail(Errc::invalid, "the answer has no status");
    unsigned status = 0;
    for (auto const digit : rest.substr(1, 3)) status = 10 * status + static_cast<unsigned>(digit - '0');
    return StatusLine{*version, status};
}

bool has_no_body(unsigned status, std::string_view method) {
    return status < 200 || status == 204 || status == 304 || method == "HEAD" || (method == "CONNECT" && status < 300);
}

/// The same length twice is clumsy and clear. (In a request it is refused: there it is somebody's trick.)
void drop_repeated_length(Fields& fields) {
    auto const is_length = [](Field const& field) { return is_same(field.name, "Content-Length"); };
    auto const first = std::find_if(fields.begin(), fields.end(), is_length);
    if (first == fields.end()) return;
    auto const value = first->value;
    fields.erase(std::remove_if(first + 1, fields.end(),
                                [&](Field const& field) { return is_length(field) && field.value == value; }),
                 fields.end());
}

} // namespace

Result<ResponseHead> parse_response(std::string_view head, std::string_view request_method) {
    PFAR_TRY(lines, split_head(head));
    PFAR_TRY(line, parse_status_line(lines.first));
    drop_repeated_length(lines.fields);
    PFAR_TRY(body, framing(lines.fields, line.version));
    if (has_no_body(line.status, request_method))
        body = Body{};
    else if (body.kind == Body::Kind::none)
        body.kind = Body::Kind::until_close;

    auto const closes = line.version == Version::http_1_0 || contains(elements(lines.fields, "Connection"), "close");
    return ResponseHead{line.status, body, !closes && body.kind != Body::Kind::until_close};
}

} // namespace pfar::proxy_connect
