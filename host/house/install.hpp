// Installs a package for a server: into a directory of its own, pinned, from inside a sandbox that reaches only the package registry.
#pragma once

#include "base/fd.hpp"
#include "house/record.hpp"

#include <pfar/server_registry.hpp>

#include <chrono>
#include <functional>

namespace pfar::house {

/// What an install may take; above it, it is ended and nothing is changed.
struct InstallLimits {
    std::uint64_t bytes = std::uint64_t{1} << 30U, files = 300'000; // on disk, with its cache
    std::uint64_t memory = std::uint64_t{1} << 30U;
    std::chrono::seconds patience{600};
};

struct InstallWish {
    std::string server; // it goes to mcp-servers/SERVER
    Package
        package; // npm or pypi; an empty version: the newest; an empty entry: the only one, or the one named like the package
    std::vector<std::string> hosts{}; // that the owner has allowed besides the registry
    bool scripts = false;             // then run its install scripts, without network or secrets
    /// Which of the package's programs is meant, if it has several and does not say; empty: that is an error.
    std::function<Result<std::string>(std::vector<std::string> const&)> choose{};
    InstallLimits limits{};
    std::function<bool()> interrupted{}; // may be empty
};

struct Installed {
    std::filesystem::path directory;          // mcp-servers/SERVER, or where it will be
    std::string command;                      // absolute: node, or the environment's python
    std::vector<std::string> args;            // the entry's file, below ${PFAR_HOME}
    std::string version, integrity;           // "sha512-..."
    std::vector<std::string> skipped_scripts; // "esbuild@0.25.0: postinstall"
};

/// What is called as it goes on, for people: "12 MiB, 34 packages". May be empty.
using InstallProgress = std::function<void(std::string const&)>;

/// A staging directory beside the others: nothing that a server uses changes until it is put in place. Goes away with its object unless it was.
class Staged {
public:
    /// Errc::unsupported without npm (or uv and pip), Errc::not_found for a package or version that does not exist, Errc::refused with the host
    /// in `blocked` if it wanted to go elsewhere, Errc::unavailable for a network that fails. [main thread, may block]
    static Result<Staged> install(House const& house, InstallWish const& wish, InstallProgress const& progress,
                                  std::string& blocked, Record& record);
    Staged(Staged&&) noexcept;
    Staged& operator=(Staged&&) noexcept;
    ~Staged();

    [[nodiscard]] Installed const& facts() const { return facts_; }
    [[nodiscard]] std::filesystem::path const& directory() const { return directory_; }
    /// One rename. What was there before is then at the path that is returned, for whoever has to undo it; empty if there was nothing.
    Result<std::filesystem::path> put_in_place();
    /// Runs what facts().skipped_scripts lists, in a sandbox without network or secrets; then the list is empty. Before it is put in place.
    /// Errors as install(); Errc::refused if a script failed. [main thread, may block]
    Result<void> run_scripts(House const& house, InstallProgress const& progress, Record& record);

private:
    Staged(std::filesystem::path directory, base::Fd alive, InstallWish wish)
        : directory_(std::move(directory)), alive_(std::move(alive)), wish_(std::move(wish)) {}
    std::filesystem::path directory_; // mcp-servers/.SERVER.installing-PID-N; empty: it was put in place
    base::Fd alive_;                  // locked: it is not what a killed install has left
    InstallWish wish_;
    Installed facts_;
};

/// The newest version of an npm or PyPI package, by its owner's settings. Errc::not_found if there is no such package, Errc::unsupported without npm
/// (or pip), Errc::unavailable for a network that fails. [main thread, may block]
Result<std::string> newest_version(House const& house, Package const& package);

/// What killed installs have left: staging directories whose process is gone. [may block]
void clear_stagings(std::filesystem::path const& home);

} // namespace pfar::house
