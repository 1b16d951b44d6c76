// Words that shell completion offers for operands.
#pragma once

#include <string>
#include <vector>

namespace pfar::cli {

std::vector<std::string> command_names();
std::vector<std::string> shell_names();
/// The sandbox plugins, and auto. [may block]
std::vector<std::string> backend_names();
/// The names of all server files that can be found from here. [may block]
std::vector<std::string> server_names();
/// What `pfar connect` knows. [may block]
std::vector<std::string> known_services();
/// SERVER.TOOL of all tools, and the ids of what waits for a yes; none if no host runs. [may block, not for long]
std::vector<std::string> tool_names();
std::vector<std::string> approval_ids();

/// The vault's entries, if it can be asked without asking for a passphrase. [may block]
std::vector<std::string> kept_names();
/// The same, and what servers need. [may block]
std::vector<std::string> entry_names();

} // namespace pfar::cli
