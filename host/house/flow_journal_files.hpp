// Where journals are: a directory run/flows/ID for each, locked by its process.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <filesystem>
#include <vector>

namespace pfar::house {

inline constexpr char const *journal_name = "journal.json", *done_name = "done.json"; // renamed when all is well

/// Of conversations that go on, and of killed ones, but not those that are just being made. [any thread, may block]
std::vector<std::filesystem::path> journals(std::filesystem::path const& home);
/// Errc::conflict if its conversation goes on.
Result<base::Fd> lock_journal(std::filesystem::path const& directory);
/// Whose turn it is to clear away what killed conversations have left; empty if that took somebody else too long. [may block]
base::Fd turn_to_recover(std::filesystem::path const& home);

} // namespace pfar::house
