// PyPI packages: wheels only, into a directory that python is told of, because a virtual environment cannot be moved.
#pragma once

#include "house/install_npm.hpp"

namespace pfar::house {

/// As Staged::install. [main thread, may block]
Result<Installed> install_pypi(InstallJob const& job);

Result<std::string> newest_pypi_version(House const& house, std::string const& name);

} // namespace pfar::house
