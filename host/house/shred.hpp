// Overwrites a file and removes it.
#pragma once

#include <pfar/result.hpp>

#include <sys/stat.h>

#include <filesystem>

namespace pfar::house {

/// What copies on write, wears level or was backed up keeps its old blocks all the same. Errc::refused for anything but a regular file with one
/// name, and for one that is not just as it was when it was `seen`. [may block]
Result<void> shred(std::filesystem::path const& file, struct stat const& seen);

} // namespace pfar::house
