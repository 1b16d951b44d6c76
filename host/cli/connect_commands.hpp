// The commands that set servers up by talking.
#pragma once

#include "cli/command.hpp"

namespace pfar::cli {

std::vector<Command> connect_commands();

int run_chat(Arguments const& arguments, Console& console);
int run_connect(Arguments const& arguments, Console& console);
int run_disconnect(Arguments const& arguments, Console& console);
int run_rotate(Arguments const& arguments, Console& console);
int run_import(Arguments const& arguments, Console& console);

} // namespace pfar::cli
