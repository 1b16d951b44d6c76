// The shim's orders for a policy: in namespaces of its own, or by Landlock and the system call filter alone.
#pragma once

#include <pfar/launch_plan.hpp>
#include <pfar/result.hpp>

namespace pfar::landlock {

/// A root of its own in new namespaces, Landlock on top.
ShimOrders namespace_orders(SandboxPolicy const& policy, Command const& command);

/// For a machine that refuses namespaces. What the policy asks beyond Landlock is refused.
Result<ShimOrders> bare_orders(SandboxPolicy const& policy, Command const& command);

/// The host's own files that a process needs there, because it cannot be given others.
std::vector<Grant> bare_system_grants();

} // namespace pfar::landlock
