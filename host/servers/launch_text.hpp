// What of a server file cannot change in a process that runs, as one text: two files with the same launch alike.
#pragma once

#include "config/server_spec.hpp"

#include <pfar/sandbox_policy.hpp>

namespace pfar::servers {

/// All but description, label, taint, tools and domains. [any thread]
std::string launch_text(config::ServerSpec const& spec);

/// The same for a resolved policy and what runs under it: equal texts mean equal powers. [any thread]
std::string policy_text(SandboxPolicy const& policy, Command const& command);

} // namespace pfar::servers
