// Follows a path as the kernel does and remembers the links on the way: where only parts of the machine are shown, each of them
// has to be there too.
#pragma once

#include "servers/root_files.hpp"

#include <pfar/result.hpp>

#include <filesystem>
#include <vector>

namespace pfar::servers {

struct Followed {
    std::filesystem::path end; // canonical
    std::vector<Link> links;   // in the order of the way; each one's own directory is canonical
};

/// `path` is absolute. Errc::not_found if nothing is there, Errc::invalid for links in a circle. [any thread, may block]
Result<Followed> follow(std::filesystem::path const& path);

/// `path` with its directory canonical and its own name kept, even if that is a link. [any thread, may block]
Result<std::filesystem::path> in_canonical_directory(std::filesystem::path const& path);

} // namespace pfar::servers
