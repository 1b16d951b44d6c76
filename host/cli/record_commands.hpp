// The commands that read the record. They need no host: they read its files, and one that runs is asked to write what it still has.
#pragma once

#include "cli/command.hpp"

namespace pfar::cli {

inline constexpr int exit_data = 65; // sysexits' EX_DATAERR: the record is not what was written

std::vector<Command> record_commands();

int run_audit(Arguments const& arguments, Console& console);
int run_audit_verify(Arguments const& arguments, Console& console);

} // namespace pfar::cli
