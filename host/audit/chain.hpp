// The chain: each line has a number, the hash of the line before it, and a keyed hash over all of that.
#pragma once

#include "audit/key.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace pfar::audit {

/// How far a chain has come.
struct Mark {
    std::uint64_t seq = 0;
    std::string hash = std::string(64, '0');

    friend bool operator==(Mark const&, Mark const&) = default;
};

/// Appends the next line, with its newline: {"seq":N,ENTRY,"prev":"...","hash":"..."}. Moves the mark. [any thread]
void append_line(std::string& lines, std::string_view entry, Mark& mark, Key const& key);

/// Moves the mark if `line` (without its newline) is the one that follows it. Otherwise says what is wrong with it, as the end of a
/// sentence. [any thread]
Result<void> follow(std::string_view line, Mark& mark, Key const& key);

/// Appends `,"hash":"..."}` to an object without its closing brace that begins at `from`.
void seal(std::string& text, std::size_t from, Key const& key);
/// What was sealed, without the seal; empty if the seal does not fit.
std::string_view unsealed(std::string_view text, Key const& key);

} // namespace pfar::audit
