// The commands of the group `vault`.
#pragma once

#include "cli/command.hpp"

namespace pfar::cli {

std::vector<Command> vault_commands();

} // namespace pfar::cli
