// The table of `pfar doctor --attack`.
#pragma once

#include "cli/console.hpp"
#include "house/house.hpp"

#include <string>
#include <vector>

namespace pfar::cli {

/// Runs the attacks and prints what came of them. 0 if every one was refused as expected, 77 if one succeeded, 70 if there is doubt.
int attack_and_tell(house::House const& house, std::vector<std::string> const& backends, bool json, Console& console);

} // namespace pfar::cli
