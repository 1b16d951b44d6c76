// One field alone may say where a body ends: with two of them, each reader can believe another one.
#include "http_fields.hpp"
#include "http_letters.hpp"

namespace pfar::proxy_connect {

namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::size_t most_fields = 256, most_length_digits = 19; // 19 digits fit into 64 bits, whatever they are

std::string_view take_until(std::string_view& rest, std::string_view end) {
    auto const size = std::min(rest.find(end), rest.size());
    auto const part = rest.substr(0, size);
    rest.remove_prefix(std::min(size + end.size(), rest.size()));
    return part;
}

std::string_view trimmed(std::string_view text) {
    auto const first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Result<Body> counted_body(std::string_view digits) {
    if (digits.empty() || digits.size() > most_length_digits || !std::all_of(digits.begin(), digits.end(), is_digit))
        return fail(Errc::invalid, "a Content-Length is one number");
    Body body{Body::Kind::length, 0};
    for (auto const digit : digits) body.length = 10 * body.length + static_cast<unsigned>(digit - '0');
    return body;
}

} // namespace

Result<HeadLines> split_head(std::string_view head) {
    auto const scan = scan_head(head, 0);
    if (scan.state != HeadScan::State::complete || scan.size != head.size())
        return fail(Errc::invalid, "this is not the head of an HTTP/1.1 message");
    HeadLines lines{take_until(head, line_end), {}};
    for (auto line = take_until(head, line_end); !line.empty(); line = take_until(head, line_end)) {
        if (lines.fields.size() == most_fields) return fail(Errc::invalid, "there are too many header lines");
        auto const name = take_until(line, ":");
        lines.fields.push_back({name, trimmed(line)});
    }
    return lines;
}

std::size_t count(Fields const& fields, std::string_view name) {
    return static_cast<std::size_t>(
        std::count_if(fields.begin(), fields.end(), [&](Field const& field) { return is_same(field.name, name); }));
}

std::string_view value_of(Fields const& fields, std::string_view name) {
    for (auto const& field : fields)
        if (is_same(field.name, name)) return field.value;
    return {};
}

std::vector<std::string_view> elements(Fields const& fields, std::string_view name) {
    std::vector<std::string_view> found;
    for (auto const& field : fields) {
        if (!is_same(field.name, name)) continue;
        for (auto rest = field.value; !rest.empty();)
            if (auto const element = trimmed(take_until(rest, ",")); !element.empty()) found.push_back(element);
    }
    return found;
}

bool contains(std::vector<std::string_view> const& elements, std::string_view element) {
    return std::any_of(elements.begin(), elements.end(), [&](auto const& each) { return is_same(each, element); });
}

std::optional<Version> version_of(std::string_view text) {
    if (text == "HTTP/1.1") return Version::http_1_1;
    if (text == "HTTP/1.0") return Version::http_1_0;
    return std::nullopt;
}

Result<Body> framing(Fields const& fields, Version version) {
    auto const codings = count(fields, "Transfer-Encoding"), lengths = count(fields, "Content-Length");
    if (codings + lengths == 0) return Body{};
    if (codings + lengths > 1) return fail(Errc::invalid, "more than one header line says where the body ends");
    if (lengths == 1) return counted_body(value_of(fields, "Content-Length"));
    if (version == Version::http_1_0) return fail(Errc::invalid, "HTTP/1.0 has no Transfer-Encoding");
    if (!is_same(value_of(fields, "Transfer-Encoding"), "chunked"))
        return fail(Errc::invalid, "chunked is the only Transfer-Encoding that is known here");
    return Body{Body::Kind::chunked, 0};
}

} // namespace pfar::proxy_connect
