// The commands that are the host, or ask it.
#pragma once

#include "cli/command.hpp"

namespace pfar::cli {

std::vector<Command> host_commands();

int run_host_here(Arguments const& arguments, Console& console);
int run_host_status(Arguments const& arguments, Console& console);
int run_host_stop(Arguments const& arguments, Console& console);
int run_host_restart(Arguments const& arguments, Console& console);
int run_list(Arguments const& arguments, Console& console);
int run_status(Arguments const& arguments, Console& console);
int run_tools(Arguments const& arguments, Console& console);
int run_logs(Arguments const& arguments, Console& console);
int run_restart(Arguments const& arguments, Console& console);
int run_enable(Arguments const& arguments, Console& console);
int run_disable(Arguments const& arguments, Console& console);

} // namespace pfar::cli
