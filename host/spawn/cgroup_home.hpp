// Where this process may make control groups for its sandboxes, and so how their memory is limited.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace pfar::spawn {

/// By a kernel's limit, or (`sampled`) by looking from time to time.
enum class MemoryControl : std::uint8_t { cgroup_v2, cgroup_v1, sampled };

struct CgroupHome {
    MemoryControl control = MemoryControl::sampled;
    std::filesystem::path memory, pids; // groups go here; pids is empty where processes cannot be counted
    std::string why_not;                // sampled: why, and the remedy
};

/// Found by trying: v2 where delegated, else v1 where writable. Where v2's memory controller still has to be switched on for groups beside
/// this process, that moves the whole process into a leaf `pfar-host` of its own group; if it fails, all is as it was.
/// The parameters are for tests. [main thread, may block]
CgroupHome find_cgroup_home(std::filesystem::path const& proc = "/proc", std::filesystem::path const& root = "/");

} // namespace pfar::spawn
