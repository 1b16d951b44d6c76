// Runs a launch plan to its end and collects what it said: how a sandbox is tried out.
#pragma once

#include <pfar/sandbox_backend.hpp>

#include <chrono>

namespace pfar::spawn {

/// The launched program has an empty environment, /dev/null as stdin, a process group of its own and no descriptor that the plan
/// does not name. After `patience` the group is killed and the answer is Errc::timeout. Keeps the last `kept` bytes of output.
/// [main thread, may block]
Result<Ended> run_to_end(LaunchPlan const& plan, std::chrono::milliseconds patience, std::size_t kept = 4096);

} // namespace pfar::spawn
