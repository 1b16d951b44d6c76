// Basic and literal, on one line and on several.
#include "config/toml_string.hpp"

#include <string>

namespace pfar::config {

std::size_t string_end(std::string_view text, std::size_t at) {
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

} // namespace pfar::config
