// Staging: a directory beside the installed packages, in which one is put together. Its process holds a lock on the directory itself: nothing
// inside can take that away, and the kernel drops it with the process, however that ends.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <filesystem>
#include <string>

namespace pfar::house {

struct Staging {
    std::filesystem::path directory; // mcp-servers/.SERVER.installing-PID-N, 0700
    base::Fd alive;
};

/// Makes mcp-servers too if it is missing. [may block]
Result<Staging> make_staging(std::filesystem::path const& home, std::string const& server);

/// Removes a tree that somebody else has filled, with whatever rights it set. Links are not followed. [may block]
void remove_staging(std::filesystem::path const& directory);

/// The staging directory becomes `place`; what was there goes to the path that is returned (empty: there was nothing). On an error everything is as
/// it was. [may block]
Result<std::filesystem::path> put_staging(std::filesystem::path const& directory, std::filesystem::path const& place);

} // namespace pfar::house
