// The vault file's index: which entries there are, where, and which version of each is the last one.
//
// Sealed as one; every line has the same size, so that the file tells how many entries there are and nothing of their
// names.
#pragma once

#include "entry.hpp"

#include <vector>

namespace pfar::vault_file {

inline constexpr std::size_t max_entries = 4096;

struct IndexLine {
    std::string name;
    Time set_at;
    std::uint64_t offset = 0, length = 0; // of its record
    std::string tag;                      // the record's: an older one has another
};

struct Index {
    std::uint64_t generation = 0; // of two that open, the higher one is right
    std::uint64_t file_size = 0;
    std::vector<IndexLine> lines;
};

std::size_t sealed_index_size(std::size_t lines);
std::string seal_index(Keys const& keys, Header const& header, Index const& index);
/// Nothing if it was changed or cut.
std::optional<Index> open_index(Keys const& keys, Header const& header, std::string_view sealed);

} // namespace pfar::vault_file
