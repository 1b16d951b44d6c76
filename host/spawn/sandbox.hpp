// Sandbox: a child and what holds its memory: a control group where this process may make one, otherwise a watch.
#pragma once

#include "spawn/cgroup.hpp"
#include "spawn/child.hpp"

#include <chrono>
#include <optional>

namespace pfar::spawn {

class Sandbox {
public:
    /// Where memory cannot be held by the kernel, watch() has to be called. [main thread]
    static Result<Sandbox> start(LaunchPlan const& plan, Beginning beginning, CgroupHome home, std::string const& name);

    Child& child() { return child_; }
    /// Child::next(), and keeps what it tells about memory. [may block until something happens]
    Result<Note> next();
    [[nodiscard]] MemoryControl control() const { return group_ ? control_ : MemoryControl::sampled; }
    /// How often to call watch(); none if that is not needed.
    [[nodiscard]] std::optional<std::chrono::milliseconds> watch_every() const;
    /// Looks at the tree's memory, and kills all of it if it is above the limit: then true. [may block]
    bool watch();
    /// Something was killed for want of memory.
    [[nodiscard]] bool ran_out() const { return watched_out_ || (group_ && group_->ran_out()); }

private:
    Sandbox(Child child, std::optional<Cgroup> group, MemoryControl control, std::uint64_t limit)
        : group_(std::move(group)), child_(std::move(child)), control_(control), limit_(limit) {}

    std::optional<Cgroup> group_; // outlives the child, which is in it
    Child child_;
    MemoryControl control_;
    std::uint64_t limit_, in_sockets_ = 0;
    int unanswered_ = 0;
    bool watched_out_ = false;
};

} // namespace pfar::spawn
