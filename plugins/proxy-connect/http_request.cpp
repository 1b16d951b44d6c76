// A request: its line, the one place where it says its host, and the head that goes on to the origin.
#include "http_authority.hpp"
#include "http_fields.hpp"
#include "http_letters.hpp"

namespace pfar::proxy_connect {

namespace {

using Form = RequestHead::Form;

Error bad(std::string what) {
    return fail(Errc::invalid, std::move(what));
}

struct RequestLine {
    std::string_view method, target;
    Version version;
};

Result<RequestLine> parse_request_line(std::string_view line) {
    auto const first = line.find(' '), last = line.rfind(' ');
    if (first == last) return bad("a request line is \"method target HTTP/1.1\"");
    auto const version = version_of(line.substr(last + 1));
    if (!version) return bad("this proxy speaks HTTP/1.1");
    auto const method = line.substr(0, first), target = line.substr(first + 1, last - first - 1);
    if (!is_token(method) || target.empty() || target.find(' ') != std::string_view::npos)
        return bad("a request line is \"method target HTTP/1.1\"");
    return RequestLine{method, target, *version};
}

bool has_scheme(std::string_view target, std::string_view scheme) {
    return is_same(target.substr(0, scheme.size()), scheme);
}

// Where a request wants to go, and what is left of its target for the origin.
struct Target {
    Form form;
    Authority authority;
    std::string path;
};

Result<Target> absolute_target(RequestLine const& line) {
    auto const rest = line.target.substr(std::string_view("http://").size());
    auto const end = std::min(rest.find_first_of("/?"), rest.size());
    PFAR_TRY(authority, parse_authority(rest.substr(0, end), 80));
    auto const path = rest.substr(end);
    // To the origin, it would be "OPTIONS *".
    if (line.method == "OPTIONS" && path.empty()) return bad("OPTIONS needs a path here");
    return Target{Form::absolute, authority, (path.starts_with('/') ? "" : "/") + std::string(path)};
}

Result<Target> target_of(RequestLine const& line, Fields const& fields) {
    if (count(fields, "Host") > 1) return bad("there is more than one Host line");
    if (line.method == "CONNECT") {
        PFAR_TRY(authority, parse_authority(line.target, 0));
        return Target{Form::connect, authority, ""};
    }
    if (line.target.find('#') != std::string_view::npos) return bad("a request's target has no fragment");
    if (has_scheme(line.target, "http://")) return absolute_target(line);
    if (has_scheme(line.target, "https://")) return bad("this proxy does not open TLS itself; use CONNECT for https");
    if (line.target.front() != '/') return bad("a request's target is http://host/path or /path");
    if (count(fields, "Host") == 0) return bad("there is no Host line");
    PFAR_TRY(authority, parse_authority(value_of(fields, "Host"), 80));
    return Target{Form::origin, authority, std::string(line.target)};
}

// The host is said twice in absolute form, and the origin would believe the second.
Result<void> check_host(Target const& target, RequestLine const& line, Fields const& fields) {
    if (target.form != Form::absolute) return {};
    if (count(fields, "Host") == 0)
        return line.version == Version::http_1_0 ? Result<void>() : bad("there is no Host line");
    PFAR_TRY(said, parse_authority(value_of(fields, "Host"), 80));
    if (!said.is_same_as(target.authority)) return bad("the Host line and the request's target name different hosts");
    return {};
}

Result<Body> body_of(Target const& target, RequestLine const& line, Fields const& fields) {
    PFAR_TRY(body, framing(fields, line.version));
    if (target.form == Form::connect && (body.kind == Body::Kind::chunked || body.length > 0))
        return bad("a CONNECT has no body");
    // It goes on as it is, and not everybody reads other spellings of it.
    if (body.kind == Body::Kind::chunked && value_of(fields, "Transfer-Encoding") != "chunked")
        return bad("chunked is written in small letters here");
    return target.form == Form::connect ? Body{} : body;
}

// What the fields say about this connection and not about the request.
struct Hop {
    std::vector<std::string_view> options; // also the names of further fields that are for this connection only
    bool keep_alive, upgrade;
};

Result<Hop> hop_of(Version version, Fields const& fields) {
    Hop hop{elements(fields, "Connection"), false, false};
    for (auto const& option : elements(fields, "Proxy-Connection")) hop.options.push_back(option);
    if (hop.options.size() > 32) return bad("there are too many words in the Connection line");
    for (auto const& framed : {"Host", "Content-Length", "Transfer-Encoding"})
        if (contains(hop.options, framed)) return bad("a Connection line cannot take the host or the body away");
    auto const protocols = elements(fields, "Upgrade");
    hop.keep_alive = version == Version::http_1_1 && !contains(hop.options, "close");
    hop.upgrade = version == Version::http_1_1 && contains(hop.options, "upgrade") && protocols.size() == 1 &&
                  !is_same(protocols.front(), "h2c");
    return hop;
}

bool is_for_origin(std::string_view name, Hop const& hop) {
    for (auto const& mine : {"Host", "Connection", "Proxy-Connection", "Proxy-Authorization", "Keep-Alive", "TE",
                             "Upgrade", "HTTP2-Settings"})
        if (is_same(name, mine)) return false;
    return !contains(hop.options, name);
}

std::string forward_of(RequestLine const& line, Target const& target, Fields const& fields, Hop const& hop) {
    std::string text(line.method);
    text.append(" ").append(target.path).append(line.version == Version::http_1_1 ? " HTTP/1.1" : " HTTP/1.0");
    text.append("\r\nHost: ").append(target.authority.text).append("\r\n");
    for (auto const& field : fields)
        if (is_for_origin(field.name, hop)) text.append(field.name).append(": ").append(field.value).append("\r\n");
    if (hop.upgrade)
        text.append("Connection: upgrade\r\nUpgrade: ").append(elements(fields, "Upgrade").front()).append("\r\n");
    else if (!hop.keep_alive)
        text.append("Connection: close\r\n");
    return text.append("\r\n");
}

} // namespace

Result<RequestHead> parse_request(std::string_view head) {
    PFAR_TRY(lines, split_head(head));
    PFAR_TRY(line, parse_request_line(lines.first));
    PFAR_TRY(target, target_of(line, lines.fields));
    PFAR_CHECK(check_host(target, line, lines.fields));
    PFAR_TRY(body, body_of(target, line, lines.fields));
    PFAR_TRY(hop, hop_of(line.version, lines.fields));

    RequestHead request{target.form,
                        std::string(line.method),
                        std::string(target.authority.host),
                        target.authority.port,
                        body,
                        hop.keep_alive,
                        hop.upgrade,
                        ""};
    if (target.form == Form::connect)
        request.keep_alive = request.upgrade = false; // it is a tunnel afterwards
    else
        request.forward = forward_of(line, target, lines.fields, hop);
    return request;
}

} // namespace pfar::proxy_connect
