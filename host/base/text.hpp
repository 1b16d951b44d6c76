// Small things done to text: making foreign text safe to show, and finding what somebody meant to type.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::base {

/// Control bytes, broken UTF-8 and characters that reorder a line are shown as escapes; everything else as it is.
/// What a stranger wrote goes through this before it reaches a terminal.
std::string printable(std::string_view text);

/// Its first `most` bytes, or a few less so that no character is cut.
std::string_view whole_text(std::string_view text, std::size_t most);

/// True if every character of it is whole and allowed.
bool is_utf8(std::string_view text);

/// The candidate that `word` is most likely a misspelling of; none if it resembles none of them.
std::optional<std::string_view> nearest(std::string_view word, std::vector<std::string_view> const& candidates);

/// "a, b and c", for the end of a sentence.
std::string listed(std::vector<std::string_view> const& words, std::string_view last = "and");

} // namespace pfar::base
