// Knows just enough of TOML to tell a dot in a key from one in a string or comment.
#include "config/key_depth.hpp"

#include "config/toml_string.hpp"

#include <algorithm>

namespace pfar::config {

std::size_t find_deep_key(std::string_view text) {
    int dots = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        char const c = text[at];
        if (c == '"' || c == '\'')
            at = string_end(text, at);
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
