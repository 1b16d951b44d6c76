// The bwrap command line for a policy. Pure: the same policy gives the same words.
#pragma once

#include <pfar/launch_plan.hpp>
#include <pfar/result.hpp>

#include <string>
#include <vector>

namespace pfar::bwrap {

/// What bwrap alone cannot enforce; Errc::unsupported names the first such thing.
Result<void> check_supported(SandboxPolicy const& policy);

/// Everything behind "bwrap", the command included.
std::vector<std::string> arguments(SandboxPolicy const& policy, Command const& command);

/// The same mounts, for people.
std::vector<MountLine> mount_lines(SandboxPolicy const& policy);

/// The directories of a Debian-like system that a program needs to run at all.
std::vector<Grant> system_grants();

} // namespace pfar::bwrap
