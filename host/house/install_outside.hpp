// What a package manager is asked outside of any sandbox: its settings, and what there is to be had. As its owner would ask it.
#pragma once

#include "servers/wish.hpp"

#include <pfar/result.hpp>
#include <pfar/sandbox_backend.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace pfar::house {

/// With the owner's environment, which is on no command line, and from their home directory: the settings of a directory that somebody else has
/// filled do not count. What it says on stderr is dropped. `argv[0]` is absolute. [main thread, may block]
Result<Ended> ask_outside(servers::OwnerFacts const& owner, std::vector<std::string> const& argv,
                          std::chrono::milliseconds patience);

/// The owner's PATH.
std::string search_path_of(servers::OwnerFacts const& owner);

/// The value of a variable of the owner's; empty if there is none.
std::string variable_of(servers::OwnerFacts const& owner, std::string const& name);

} // namespace pfar::house
