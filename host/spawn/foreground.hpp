// Runs a program of the owner's own on the owner's terminal: an editor. No sandbox; its environment and descriptors are ours.
#pragma once

#include <pfar/result.hpp>

#include <string>
#include <vector>

namespace pfar::spawn {

/// argv[0] is an absolute path. Waits for its end; keys such as Ctrl-C are for it alone meanwhile. Its exit code, or 128 + the signal that ended it.
/// [main thread, may block]
Result<int> run_in_foreground(std::vector<std::string> const& argv);

} // namespace pfar::spawn
