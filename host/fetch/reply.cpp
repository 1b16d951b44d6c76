#include "fetch/reply.hpp"

#include "base/text.hpp"
#include "wire/message.hpp"
#include "wire/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pfar::fetch {
namespace {

constexpr std::size_t most_binary = 256U << 10U, most_of_error = 8U << 10U, most_shown_value = 1000, most_shown = 40;
constexpr std::size_t most_structured = 1U << 20U;
constexpr unsigned most_json_depth = 40; // the message around it adds a few, and readers have their limits

/// Those that tell an agent how to go on. Cookies are not among them.
bool is_worth_showing(std::string_view name) {
    constexpr std::array<std::string_view, 14> shown{"content-type",
                                                     "content-length",
                                                     "content-disposition",
                                                     "content-language",
                                                     "location",
                                                     "link",
                                                     "etag",
                                                     "last-modified",
                                                     "date",
                                                     "allow",
                                                     "retry-after",
                                                     "www-authenticate",
                                                     "x-request-id",
                                                     "accept-ranges"};
    return std::find(shown.begin(), shown.end(), name) != shown.end() || name.starts_with("x-ratelimit") ||
           name.starts_with("ratelimit") || name.starts_with("x-total") || name.starts_with("x-next") ||
           name.starts_with("x-page");
}

struct Shown {
    std::string name, value;
};

std::vector<Shown> shown_fields(Response const& response) {
    std::vector<Shown> out;
    for (auto const& [name, value] : response.fields)
        if (out.size() < most_shown && is_worth_showing(name))
            out.push_back({name, base::printable(base::whole_text(value, most_shown_value))});
    return out;
}

/// "type/subtype" in lower case; octets if it is nothing of the kind.
std::string media_type(Response const& response) {
    auto said = response.field("content-type");
    said = said.substr(0, said.find_first_of("; \t"));
    std::string out;
    for (char const c : said) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    bool const fine = out.find('/') != std::string::npos && out.size() < 100 &&
                      out.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789/.+-_") == std::string::npos;
    return fine ? out : "application/octet-stream";
}

bool is_textual(std::string_view type) {
    return type.starts_with("text/") || type.find("json") != std::string_view::npos ||
           type.find("xml") != std::string_view::npos || type.find("javascript") != std::string_view::npos;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t group = 0;
        auto const here = std::min<std::size_t>(3, bytes.size() - at);
        for (std::size_t i = 0; i < 3; ++i)
            group = group << 8U | (i < here ? static_cast<unsigned char>(bytes[at + i]) : 0U);
        for (std::size_t i = 0; i < 4; ++i) out += i <= here ? letters[group >> (18U - 6U * i) & 63U] : '=';
    }
    return out;
}

std::string text_item(std::string_view text) {
    return R"({"type":"text","text":)" + wire::quoted(text) + '}';
}

/// Whole characters only, where the limit cut one.
std::string_view whole_body(Response const& response) {
    std::string_view body = response.body;
    if (body.starts_with("\xef\xbb\xbf")) body.remove_prefix(3);
    if (!response.cut) return body;
    for (int i = 0; i < 3 && !body.empty() && !base::is_utf8(body); ++i) body.remove_suffix(1);
    return body;
}

bool is_text(std::string_view body) {
    return base::is_utf8(body) && body.find('\0') == std::string_view::npos;
}

std::string binary_item(Response const& response, std::string const& type) {
    auto const& body = response.body;
    if (response.cut || body.size() > most_binary || is_textual(type)) return {};
    if (type.starts_with("image/"))
        return fmt::format(R"({{"type":"image","mimeType":{},"data":"{}"}})", wire::quoted(type), base64(body));
    return fmt::format(R"({{"type":"resource","resource":{{"uri":{},"mimeType":{},"blob":"{}"}}}})",
                       wire::quoted(response.url), wire::quoted(type), base64(body));
}

std::string undecodable(Response const& response, std::string const& type) {
    auto const size = fmt::format("{}{} bytes", response.cut ? "more than " : "", response.body.size());
    if (is_textual(type))
        return fmt::format("[The body is {} of {} in another encoding than UTF-8; it is not shown.]", size,
                           base::printable(base::whole_text(response.field("content-type"), 200)));
    return fmt::format("[The body is binary: {} of {}.]", size, type);
}

std::string head_of(Response const& response) {
    std::string out = base::printable(base::whole_text(response.status_line, 200));
    for (auto const& [name, value] : shown_fields(response)) out += fmt::format("\n{}: {}", name, value);
    if (!response.note.empty()) out += "\n\n" + response.note;
    return out;
}

/// The body's own text, on one line: a strict JSON text has line breaks only between its parts.
std::string structured(Response const& response, std::string_view body) {
    std::string fields;
    for (auto const& [name, value] : shown_fields(response)) {
        if (fields.find(wire::quoted(name) + ':') != std::string::npos) continue;
        fields += fmt::format("{}{}:{}", fields.empty() ? "" : ",", wire::quoted(name), wire::quoted(value));
    }
    std::string json(body);
    std::replace_if(
        json.begin(), json.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return fmt::format(R"(,"structuredContent":{{"status":{},"headers":{{{}}},"json":{}}})", response.status, fields,
                       json);
}

bool is_json(Response const& response, std::string const& type, std::string_view body) {
    return !response.cut && body.size() <= most_structured && type.find("json") != std::string::npos &&
           wire::scan(body, {.depth = most_json_depth});
}

} // namespace

std::string result_text(Response const& response) {
    bool const bad = response.status >= 400 || !response.note.empty();
    auto const type = media_type(response);
    auto const body = whole_body(response);
    auto content = text_item(head_of(response));
    std::string more, note;
    if (is_text(body)) {
        auto const shown = bad ? base::whole_text(body, most_of_error) : body;
        if (!shown.empty()) content += ',' + text_item(shown);
        if (shown.size() < body.size() || response.cut)
            note = fmt::format("[The body was cut: its first {} bytes are shown.]", shown.size());
        if (is_json(response, type, body)) more = structured(response, body);
    } else if (auto const item = binary_item(response, type); !item.empty())
        content += ',' + item;
    else
        note = undecodable(response, type);
    if (!note.empty()) content += ',' + text_item(note);
    return fmt::format(R"({{"content":[{}]{},"isError":{}}})", content, more, bad);
}

std::string failed_text(Error const& error) {
    return fmt::format(R"({{"content":[{}],"isError":true}})", text_item(error.what));
}

} // namespace pfar::fetch
