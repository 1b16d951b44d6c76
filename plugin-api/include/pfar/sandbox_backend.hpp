// SandboxBackend: turns a policy into a command line that enforces it.
//
// A backend never forks. It says what this machine can enforce and which argv enforces a given policy;
// host/spawn has the only fork. So a backend is testable as a pure function.
#pragma once

#include <pfar/launch_plan.hpp>
#include <pfar/plugin.hpp>

#include <functional>

namespace pfar {

/// How a launched plan ended.
struct Ended {
    int status = 0;          // exit code; 128 + signal if it was killed; shim_failed if it never ran
    std::string output;      // the end of what it wrote to stdout and stderr, or why it never ran
    unsigned listeners = 0;  // that the shim handed over
    bool transparent = true; // false: the routes for it were refused
    bool ran = true;         // false: the launcher or the shim failed before the command
};

/// The host's hands: runs a plan to its end, within a few seconds. Errors only if nothing could be started.
using Launch = std::function<Result<Ended>(LaunchPlan const&)>;

class PFAR_EXPORT SandboxBackend : public Plugin {
public:
    static constexpr char kind[] = "sandbox";

    /// What this machine lets the backend keep, found by trying complete launches, not by reading version numbers.
    /// Errc::unsupported with the remedy if it cannot work here at all. `launch` is valid during the call. [main thread, may block]
    virtual Result<Guarantees> probe(Launch const& launch) = 0;

    /// Pure: no file is changed, no process started; files may be looked at. The plan is the caller's.
    /// Refuses with Errc::unsupported what it cannot enforce; it never weakens a policy. [any thread]
    virtual Result<LaunchPlan> plan(SandboxPolicy const& policy, Command const& command) const = 0;
};

} // namespace pfar
