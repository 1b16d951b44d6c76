// What is told of a server process: how it ended, where it was not let go, and what it is told of its own sandbox.
#pragma once

#include "egress/ledger.hpp"
#include "servers/process.hpp"
#include "servers/wish.hpp"

namespace pfar::house {

/// Each with the command that would allow it.
std::vector<servers::BlockedDomain> blocked_domains(std::vector<egress::Blocked> const& blocked,
                                                    std::string const& server);

/// JSON for _meta["pfar/access"]: the resolved policy without anything that is nobody's business inside.
std::string access_json(servers::Wish const& wish, SandboxPolicy const& policy);

/// Directories and files that it may use, as it sees them.
std::vector<std::string> roots_of(servers::Wish const& wish);

} // namespace pfar::house
