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

/// All of it has to outlive the start.
struct StartOrder {
    servers::Wish const& wish;
    servers::OwnerFacts const& owner;
    spawn::Beginning const& beginning;
    std::string proven{}; // what auto came to the last time: tried first
};

/// A start under way: the first backend that gets as far as the shim; only if none does, all are tried out to tell why.
class Starting {
public:
    static Result<Starting> begin(House const& house, StartOrder order); // [main thread, as all of it]

    /// Readable when step() has something to do.
    [[nodiscard]] int notes() { return started_->sandbox.child().notes(); }
    [[nodiscard]] bool has_note() { return started_->sandbox.child().has_note(); }
    /// True: the shim is inside. False: another backend is being tried. [may block until something happens]
    Result<bool> step();
    Started take() { return std::move(*started_); }
    [[nodiscard]] SandboxPolicy const& policy() const { return confinement_.policy; }

private:
    Starting(House const& house, StartOrder order, servers::Confinement confinement)
        : house_(house), order_(std::move(order)), confinement_(std::move(confinement)) {}
    Result<void> first();
    Result<void> fall_back();
    Result<bool> launch(LaunchPlan const& plan, std::string const& backend);

    House const& house_;
    StartOrder order_;
    servers::Confinement confinement_;
    std::optional<Started> started_;
    std::string why_not_;
    bool last_ = false;
};

/// Waits for it. [main thread, may block]
Result<Started> start_wish(House const& house, StartOrder order);

/// The promises of which nothing is kept, for a sentence; empty if there are none.
std::string not_kept(Guarantees const& guarantees);

/// The directory that becomes its HOME, if it has one. [may block]
Result<void> make_state(servers::Wish const& wish);

/// "enforced by cgroup v1" and the like.
std::string describe(spawn::MemoryControl control);

} // namespace pfar::house
