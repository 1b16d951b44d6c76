// The commands that make, change and remove server files.
#pragma once

#include "cli/command.hpp"

namespace pfar::cli {

std::vector<Command> server_commands();

int run_add(Arguments const& arguments, Console& console);
int run_edit(Arguments const& arguments, Console& console);
int run_remove(Arguments const& arguments, Console& console);

} // namespace pfar::cli
