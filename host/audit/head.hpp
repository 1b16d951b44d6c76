// Head: where the record ends, kept in audit/head so that a cut end shows.
//
// Written in place after each group of lines, one sector, never synced by itself: the lines are on disk before it is written, so after a crash it says
// less than there is and never more. It is sealed as lines are.
#pragma once

#include "audit/chain.hpp"

#include <optional>

namespace pfar::audit {

struct Head {
    Mark mark;
    std::uint32_t file = 1; // its number
    std::uint64_t size = 0; // of that file, up to the end of the last line
    std::uint64_t line = 0; // of that file: how many lines it has
};

inline constexpr std::size_t head_size = 512;

/// Exactly head_size bytes, a JSON object filled up with spaces.
std::string to_text(Head const& head, Key const& key);
/// None if it is not whole.
std::optional<Head> parse_head(std::string_view text, Key const& key);
/// None if there is none that is whole. Errors only for what is there and cannot be read. [may block]
Result<std::optional<Head>> read_head(std::filesystem::path const& directory, Key const& key);

} // namespace pfar::audit
