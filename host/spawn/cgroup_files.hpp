// The small files through which the kernel is spoken to: one value or a few words each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace pfar::spawn {

/// Writes into a file that is there. 0 or an errno. [any thread]
int put(std::filesystem::path const& file, std::string_view text);

/// The words of a file; none if it cannot be read. [any thread]
std::set<std::string> words_of(std::filesystem::path const& file);

/// The number after `key` at the beginning of a line, 0 if there is none. With an empty key: the number the text begins with.
std::uint64_t number_after(std::string_view text, std::string_view key);

/// The whole of a small file; empty if it cannot be read. [any thread]
std::string text_of(std::filesystem::path const& file);

} // namespace pfar::spawn
