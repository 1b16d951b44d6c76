// npm packages: installed in a sandbox that reaches their registry, without running anything of theirs.
#pragma once

#include "house/install_job.hpp"

namespace pfar::house {

/// As Staged::install. [main thread, may block]
Result<Installed> install_npm(InstallJob const& job);

/// Runs the install scripts of what is there, with no network. [main thread, may block]
Result<void> run_npm_scripts(InstallJob const& job);

/// What is installed in a staging directory, by its lock file: version, integrity, entry, scripts that did not run. Whatever filled the directory is a
/// stranger: nothing outside of it is looked at. Errc::invalid if the package has no single entry, with the candidates. [may block]
Result<Installed> npm_facts(InstallJob const& job);

Result<std::string> newest_npm_version(House const& house, std::string const& name);

} // namespace pfar::house
