// Knows just enough of TOML to tell a dot in a key from one in a string or comment.
#include "config/key_depth.hpp"

#include <algorithm>
#include <string>

namespace pfar::config {
namespace {

/// Where the string that begins here ends.
std::size_t skip_string(std::string_view text, std::size_t at) {
    char const quote = text[at];
    auto const triple = std::string(3, quote);
    bool const is_long = text.substr(at).starts_with(triple);
    for (at += is_long ? 3 : 1; at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"')
            ++at;
        else if (is_long ? text.substr(at).starts_with(triple) : text[at] == quote || text[at] == '\n')
            break;
    }
    if (!is_long) return at;
    at += 2;
    for (int more = 0; more < 2 && at + 1 < text.size() && text[at + 1] == quote; ++more)
        ++at; // """a""""" ends in two quotes of its own
    return at;
}

} // namespace

std::size_t find_deep_key(std::string_view text) {
    int dots = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        char const c = text[at];
        if (c == '"' || c == '\'')
            at = skip_string(text, at);
        else if (c == '#')
            at = std::min(text.find('\n', at), text.size()), dots = 0;
        else if (c == '.')
            ++dots;
        else if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos)
            dots = 0;
        if (dots > deepest_key) return at;
    }
    return std::string_view::npos;
}

} // namespace pfar::config
