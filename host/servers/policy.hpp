// From a wish to a policy: what the sandbox will be, complete, before any backend is asked.
#pragma once

#include "servers/wish.hpp"

#include <pfar/result.hpp>
#include <pfar/sandbox_policy.hpp>

namespace pfar::servers {

struct Confinement {
    SandboxPolicy policy;
    Command command;
};

/// Errors are sentences with the remedy: a missing command (not_found), a grant that is not there (not_found) or that may not be had
/// (refused). [main thread, may block]
Result<Confinement> make_policy(Wish const& wish, OwnerFacts const& owner);

} // namespace pfar::servers
