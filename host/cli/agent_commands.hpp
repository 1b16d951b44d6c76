// The commands about agents: serving them, calling in their place, and deciding what they may.
#pragma once

#include "cli/command.hpp"

namespace pfar::cli {

std::vector<Command> agent_commands();

int run_approvals(Arguments const& arguments, Console& console);
int run_approve(Arguments const& arguments, Console& console);
int run_call(Arguments const& arguments, Console& console);
int run_deny(Arguments const& arguments, Console& console);
int run_serve(Arguments const& arguments, Console& console);
int run_sessions(Arguments const& arguments, Console& console);
int run_tools_accept(Arguments const& arguments, Console& console);

} // namespace pfar::cli
