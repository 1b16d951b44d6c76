// Where things are: the program's own files beside it, the owner's under $PFAR_HOME.
#pragma once

#include <pfar/result.hpp>

#include <filesystem>

namespace pfar::base {

/// What ships with the program. The build tree and an installed prefix look the same from bin/.
struct Layout {
    std::filesystem::path plugins, share, shim;
};

/// From the running program's own place. [any thread]
Result<Layout> layout();

/// $PFAR_HOME, else ~/.pfar; absolute, not necessarily there. [any thread]
Result<std::filesystem::path> home();

/// Makes the home directory (0700) if it is missing. Refuses one that belongs to somebody else or that others can write.
Result<void> prepare_home(std::filesystem::path const& home);

/// The user's own home directory, for `~`. [any thread]
Result<std::filesystem::path> user_home();

/// `path` shortened to begin with ~ if it lies in the user's home directory; for people only.
std::string for_people(std::filesystem::path const& path);

/// True if `path` is `directory` or below it. Both absolute and lexically normal.
bool lies_in(std::filesystem::path const& path, std::filesystem::path const& directory);

} // namespace pfar::base
