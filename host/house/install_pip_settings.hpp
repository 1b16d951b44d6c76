// pip's settings as its owner has them, read outside of any sandbox.
#pragma once

#include "house/install_job.hpp"

namespace pfar::house {

struct PipSettings {
    std::vector<SourceUrl> indexes; // the usual one first
    std::string file;               // as a pip.conf, logins in it; for inside
    std::string authorities;        // PEM; empty: those of the system
    std::string proxy;
    std::vector<std::string> logins; // "user:password" of the indexes
};

/// Errc::unsupported if this python has no pip. [main thread, may block]
Result<PipSettings> read_pip_settings(servers::OwnerFacts const& owner, std::filesystem::path const& python);

} // namespace pfar::house
