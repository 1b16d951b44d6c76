#include "gateway/http_html.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::gateway {
namespace {

/// The end of the JSON string that begins there.
std::size_t string_end(std::string_view json, std::size_t at) {
    for (++at; at < json.size() && json[at] != '"'; ++at)
        if (json[at] == '\\') ++at;
    return std::min(at + 1, json.size());
}

/// Blanks between the parts of a JSON text, by its brackets alone: nothing recurses, however deep it is.
std::string indented(std::string_view json) {
    std::string out;
    std::size_t depth = 0;
    auto const line = [&] { out.append(1, '\n').append(2 * std::min<std::size_t>(depth, 32), ' '); };
    for (std::size_t at = 0; at < json.size();) {
        char const c = json[at];
        if (c == '"') {
            auto const end = string_end(json, at);
            out += base::printable(json.substr(at, end - at));
            at = end;
            continue;
        }
        ++at;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
        if (c == '}' || c == ']') {
            if (depth > 0) --depth;
            if (!out.empty() && out.back() != '{' && out.back() != '[') line();
        }
        out += c;
        if (c == '{' || c == '[') {
            ++depth;
            auto const next = json.find_first_not_of(" \n\r\t", at);
            if (next != std::string_view::npos && json[next] != '}' && json[next] != ']') line();
        } else if (c == ',')
            line();
        else if (c == ':')
            out += ' ';
    }
    return out;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (char const c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

} // namespace

std::string html(std::string_view text) {
    return escaped(base::printable(text));
}

std::string pretty_html(std::string_view json, std::size_t most) {
    auto size = std::min(json.size(), most);
    while (size < json.size() && size > 0 && (static_cast<unsigned char>(json[size]) & 0xc0U) == 0x80) --size;
    auto out = escaped(indented(json.substr(0, size)));
    if (size < json.size())
        out += fmt::format("\n<strong>[cut: {} of {} bytes are shown; see pfar approvals --json]</strong>", size,
                           json.size());
    return out;
}

} // namespace pfar::gateway
