// A package manager in a sandbox of its own: it sees its staging directory and itself, reaches where packages come from, and is watched: how much
// it writes, how long it takes.
#pragma once

#include "house/exec.hpp"
#include "house/install.hpp"

namespace pfar::house {

/// Where the staging directory is inside.
inline constexpr char const* staging_inside = "/state";

struct InstallRun {
    std::string server; // for the record
    std::string program;
    std::vector<std::string> args{};
    std::filesystem::path directory; // the staging directory: where it runs, and all that it can write but for its /tmp
    std::vector<config::DomainRule> domains{}, allow_private{};
    std::map<std::string, std::string> environment{};
    std::vector<std::pair<std::string, Secret>> files{};  // on a private tmpfs, by name
    std::vector<std::pair<std::string, Secret>> hidden{}; // not to be repeated in what it said
    std::shared_ptr<egress::UpstreamProxy const> upstream{};
    InstallLimits limits{};
    std::function<bool()> interrupted{}; // may be empty; looked at often
};

struct InstallEnd {
    int code = 0;
    std::string said; // the end of it, without anything hidden
    std::vector<egress::Blocked> blocked{};
};

/// An error if it could not be started, was interrupted (cancelled()), took too long (Errc::timeout) or became too large (Errc::refused).
/// [main thread, may block]
Result<InstallEnd> run_install(House const& house, InstallRun run, InstallProgress const& progress, Record& record);

} // namespace pfar::house
