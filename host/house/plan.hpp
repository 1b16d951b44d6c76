// What `pfar plan` tells: the sandbox that a server will have.
#pragma once

#include "house/confine.hpp"

#include <string>
#include <vector>

namespace pfar::house {

struct ServerPlan {
    Planned planned;
    std::vector<std::string> argv;         // of the launcher
    std::vector<std::string> command;      // what it runs inside
    std::vector<std::string> environment;  // names
    std::vector<std::string> secrets;      // names of variables that are filled from the vault at the start
    std::vector<std::string> secret_files; // paths of files that are
    std::vector<std::string> domains;
};

/// `name` as in `pfar list`, or a file. Errc::not_found, invalid (it has mistakes) or refused (it waits for trust) with the remedy.
/// [main thread, may block]
Result<ServerPlan> plan_server(House const& house, std::string const& name, std::string const& tool);

} // namespace pfar::house
