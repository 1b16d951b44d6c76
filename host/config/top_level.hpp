// The top level of a TOML text, as places in it: for changing a file without writing it anew.
//
// For text that is known to be TOML. Whoever changes something by these places reads the result again and compares.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace pfar::config {

struct Span {
    std::size_t begin, end; // end: behind the last character
};

struct TopLevel {
    std::optional<Span> list; // the value of the key that was asked for, brackets included
    std::size_t end = 0;      // behind the line of the last key before the first header
};

/// Pure; linear. [any thread]
TopLevel scan_top_level(std::string_view text, std::string_view key);

/// Behind the string, comment or single character that begins at `at`.
std::size_t token_end(std::string_view text, std::size_t at);

} // namespace pfar::config
