// Help texts and the answer to a command that does not exist.
#pragma once

#include "cli/command.hpp"

#include <string>

namespace pfar::cli {

std::string overview();
std::string explain(Command const& command);
std::string explain(Group const& group);
/// Says so, suggests the nearest, and returns the exit code.
int unknown_command(std::string_view name, Console& console);
int unknown_member(Group const& group, std::string_view name, Console& console);

} // namespace pfar::cli
