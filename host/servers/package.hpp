// What belongs to a file of code: its package, and the node_modules that it finds its dependencies in.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace pfar::servers {

/// A regular file, also behind links. [any thread, may block]
inline bool is_file(std::filesystem::path const& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

/// The nearest directory above `file` with a package.json, pyproject.toml or pyvenv.cfg, within the innermost node_modules. None if
/// there is none. [any thread, may block]
std::optional<std::filesystem::path> package_root(std::filesystem::path const& file);

/// The node_modules nearest to the root of the machine that `file` lies in. Pure.
std::optional<std::filesystem::path> outermost_modules(std::filesystem::path const& file);

/// node_modules beside a package.json above `package`: where a workspace puts what its packages share. [any thread, may block]
std::vector<std::filesystem::path> shared_modules(std::filesystem::path const& package);

/// Entries of a node_modules directory that are links (npm link, file: dependencies, workspaces), 1000 at most.
/// [any thread, may block]
std::vector<std::filesystem::path> linked_packages(std::filesystem::path const& modules);

} // namespace pfar::servers
