// The lock on $PFAR_HOME for commands that read, change and write one of its small files, so that two at once lose nothing.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <filesystem>

namespace pfar::house {

/// Held as long as the descriptor is. [main thread, may block]
Result<base::Fd> lock_home(std::filesystem::path const& home);

} // namespace pfar::house
