// One sandbox's control group: the kernel's own limit on memory and processes for all that run in it together.
#pragma once

#include "base/fd.hpp"
#include "spawn/cgroup_home.hpp"

#include <pfar/sandbox_policy.hpp>

#include <pfar/result.hpp>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace pfar::spawn {

/// Gone, with whatever runs in it killed, when the object is; that may take some milliseconds, and a second at most.
class Cgroup {
public:
    /// Of the limits `memory` and `processes` (this one only where home.pids is not empty). Before that it removes what hosts that were
    /// killed have left there. Errc::unsupported where memory is sampled. [main thread, may block]
    static Result<Cgroup> make(CgroupHome const& home, std::string_view name, Limits const& limits);

    Cgroup(Cgroup&& other) noexcept = default;
    Cgroup& operator=(Cgroup&& other) noexcept;
    Cgroup(Cgroup const&) = delete;
    Cgroup& operator=(Cgroup const&) = delete;
    ~Cgroup();

    /// Close-on-exec. A process that writes "0" into each of them is in, with all children it makes from then on.
    [[nodiscard]] std::vector<base::Fd> const& entrances() const { return entrances_; }

    /// The kernel has ended something in it for want of memory: on v2 all of it, on v1 one process at a time. [any thread, may block]
    [[nodiscard]] bool ran_out() const;

    /// Bytes. [any thread, may block]
    [[nodiscard]] std::uint64_t used() const;

private:
    explicit Cgroup(MemoryControl control) : control_(control) {}
    Result<void> add(std::filesystem::path const& home, std::string const& name);
    Result<void> limit(CgroupHome const& home, Limits const& limits);
    void kill() const;
    [[nodiscard]] bool remove() const;

    MemoryControl control_;
    std::vector<std::filesystem::path> directories_; // memory first; on v1 perhaps a second for processes
    std::vector<base::Fd> entrances_;
};

} // namespace pfar::spawn
