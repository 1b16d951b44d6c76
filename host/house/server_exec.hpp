// Runs a server of a file in the foreground, with its credentials: its own command, or another one in its place.
#pragma once

#include "house/exec.hpp"

namespace pfar::house {

struct ServerExec {
    std::string server, tool;         // `tool` of a stateless one; may be empty
    std::vector<std::string> command; // in place of its own; may be empty
    std::string backend;              // in place of the file's; may be empty
    bool wait = false;                // for credentials that are missing
    std::function<void(std::string const&)> warn;
    Vault::Ask ask;
    std::function<void(std::shared_ptr<base::Redactor const>)> known{}; // hears what is not to be said from now on
};

/// Its own command is started anew when one of its credentials changes. [main thread, may block until it ends]
Result<ExecEnd> exec_server(House const& house, ServerExec const& wanted, Record& record);

} // namespace pfar::house
