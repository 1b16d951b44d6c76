// Knows strings, comments and brackets; everything else of TOML is just characters here.
#include "config/top_level.hpp"

#include "config/toml_string.hpp"

#include <algorithm>

namespace pfar::config {
namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::size_t skip_blank(std::string_view text, std::size_t at) {
    while (at < text.size() && (is_blank(text[at]) || text[at] == '#')) at = token_end(text, at);
    return at;
}

/// The `=` behind the key that begins here.
std::size_t find_equals(std::string_view text, std::size_t at) {
    while (at < text.size() && text[at] != '=' && text[at] != '\n') at = token_end(text, at);
    return at;
}

std::string_view plain(std::string_view key) {
    while (!key.empty() && is_blank(key.back())) key.remove_suffix(1);
    bool const quoted = key.size() >= 2 && (key.front() == '"' || key.front() == '\'') && key.back() == key.front();
    return quoted ? key.substr(1, key.size() - 2) : key;
}

/// Behind the value that begins here, and not before the first bracket that it opens is closed.
std::size_t value_end(std::string_view text, std::size_t at) {
    int depth = 0;
    while (at < text.size() && (depth > 0 || text[at] != '\n')) {
        depth += text[at] == '[' || text[at] == '{' ? 1 : 0;
        depth -= text[at] == ']' || text[at] == '}' ? 1 : 0;
        bool const closed = depth == 0 && (text[at] == ']' || text[at] == '}');
        at = token_end(text, at);
        if (closed) break;
    }
    return at;
}

} // namespace

std::size_t token_end(std::string_view text, std::size_t at) {
    if (text[at] == '"' || text[at] == '\'') return std::min(string_end(text, at) + 1, text.size());
    if (text[at] == '#') return std::min(text.find('\n', at), text.size());
    return at + 1;
}

TopLevel scan_top_level(std::string_view text, std::string_view key) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    auto at = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    TopLevel out{{}, at};
    while ((at = skip_blank(text, at)) < text.size() && text[at] != '[') {
        auto const equals = find_equals(text, at);
        auto const value = std::min(text.find_first_not_of(" \t", equals + 1), text.size());
        auto const end = value_end(text, value);
        bool const is_list = value < end && text[value] == '[';
        if (is_list && plain(text.substr(at, equals - at)) == key) out.list = {value, end};
        auto const newline = text.find('\n', end);
        at = out.end = newline == std::string_view::npos ? text.size() : newline + 1;
    }
    return out;
}

} // namespace pfar::config
