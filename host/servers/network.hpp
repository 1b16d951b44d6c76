// The network of a sandbox, from the domains that it may reach.
#pragma once

#include "config/domain_rule.hpp"

#include <pfar/sandbox_policy.hpp>

#include <vector>

namespace pfar::servers {

/// Without domains there is none, or if `anyway` one in which everything is refused: then it is seen what was tried, and allowing it takes no restart.
/// Every port that a rule names gets a listener; the proxy's own is one that none names. [any thread]
Network network_for(std::vector<config::DomainRule> const& domains, bool transparent, bool anyway = false);

} // namespace pfar::servers
