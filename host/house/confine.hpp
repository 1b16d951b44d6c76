// From a wish to a running sandbox: who asks, which backend, the plan, the start.
#pragma once

#include "house/house.hpp"
#include "servers/policy.hpp"
#include "servers/uids.hpp"
#include "spawn/sandbox.hpp"

#include <optional>

namespace pfar::house {

/// The person who runs this, with a uid for the sandbox if that is root.
Result<servers::OwnerFacts> owner_facts(House const& house);

struct Planned {
    std::string backend, why; // and why this one
    LaunchPlan plan;
    SandboxPolicy policy;
    spawn::MemoryControl memory;
};

/// By name, or `auto` by trying each. Nothing is started but trials. [main thread, may block]
Result<Planned> plan_wish(House const& house, servers::Wish const& wish, servers::OwnerFacts const& owner);

struct Started {
    spawn::Sandbox sandbox;
    std::string backend;
    Guarantees guarantees;
    std::optional<std::filesystem::path> scratch; // to be removed afterwards
};

/// The first backend that gets as far as the shim; only if none does, all are tried out to tell why. [main thread, may block]
Result<Started> start_wish(House const& house, servers::Wish const& wish, servers::OwnerFacts const& owner,
                           spawn::Beginning const& beginning);

/// "enforced by cgroup v1" and the like.
std::string describe(spawn::MemoryControl control);

} // namespace pfar::house
