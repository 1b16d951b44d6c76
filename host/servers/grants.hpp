// Grants as the owner wrote them, resolved: canonical paths, the links that lead there, and what has to stay hidden below them.
#pragma once

#include "servers/wish.hpp"

#include <pfar/result.hpp>

namespace pfar::servers {

struct ResolvedGrants {
    std::vector<Grant> grants;
    std::vector<Link> links;
    std::vector<std::filesystem::path> masked;
};

/// Refuses a path in $PFAR_HOME, and one that leads through a link which the sandbox itself could change: what it swaps in there would be
/// granted at the next start. [any thread, may block]
Result<ResolvedGrants> resolve_grants(Wish const& wish, OwnerFacts const& owner);

} // namespace pfar::servers
