// The bwrap command line for a policy. Pure: the same policy gives the same words.
#pragma once

#include <pfar/launch_plan.hpp>
#include <pfar/result.hpp>

#include <string>
#include <vector>

namespace pfar::bwrap {

/// Where the shim stands inside.
inline constexpr char const* shim_inside = "/.pfar-shim";

/// Everything behind "bwrap"; it starts the shim. `data` are the files that it reads by descriptor.
std::vector<std::string> arguments(SandboxPolicy const& policy, std::filesystem::path const& shim,
                                   std::vector<DataFd>& data);

} // namespace pfar::bwrap
