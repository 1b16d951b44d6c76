// What our control groups are called: the name says whose a group is, so that what a killed host has left can be told from what is in use.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pfar::spawn {

/// The group that the host itself steps into where cgroup v2 asks for it.
inline constexpr char const* host_leaf = "pfar-host";

/// "pfar.PID.START.COUNT-NAME": this process, when it began (pids are used again), and a count; what is odd in the name is replaced.
/// [any thread]
std::string group_name(std::string_view name);

/// Removes the empty groups in `directory` whose process is no longer there. [any thread]
void remove_leftovers(std::filesystem::path const& directory);

} // namespace pfar::spawn
