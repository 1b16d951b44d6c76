// pyenv, asdf, volta and mise put small programs on PATH that stand in for the real ones and find them by files and settings which
// a sandbox does not have. So the manager is asked once, outside, which program it would run.
#pragma once

#include <pfar/result.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace pfar::servers {

struct VersionManager {
    std::string name;           // also its program
    std::filesystem::path root; // ~/.pyenv and the like
};

/// Whose stand-in `program` is, judged by the directory it lies in; none if it is a program of its own. [main thread]
std::optional<VersionManager> manager_of(std::filesystem::path const& program);

/// What `pyenv which NAME` (and so on) answers: an absolute path, not yet looked at. Errc::unavailable with the manager's own
/// words if it has none. [main thread, may block]
Result<std::filesystem::path> ask_manager(VersionManager const& manager, std::string const& program,
                                          std::string const& search_path, std::filesystem::path const& user_home);

} // namespace pfar::servers
