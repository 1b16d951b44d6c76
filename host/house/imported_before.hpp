// Whether a server of an agent's configuration has been taken over already, so that it is not taken over twice unawares.
#pragma once

#include "config/client_config.hpp"
#include "house/house.hpp"

namespace pfar::house {

/// The server that has this one's name, or one that was made from it, and starts the same package or command, with the same arguments and variables of
/// the same names; empty if there is none. `name`: as its client has it. `project`: whose file it was in. [main thread, may block]
std::string imported_before(House const& house, config::ClientServer const& wanted, std::string const& name,
                            std::optional<std::filesystem::path> const& project);

/// A name near to the client's that no server has yet.
std::string free_import_name(House const& house, std::string const& name);

} // namespace pfar::house
