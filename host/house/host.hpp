// The host: the process that has a home's servers, from the lock on its home to the last of them gone.
#pragma once

#include "base/fd.hpp"
#include "control/identity.hpp"
#include "house/house.hpp"

namespace pfar::house {

struct HostTask {
    control::Identity identity;
    bool on_demand = false; // started by a command: leaves when idle
    bool table = false;     // stderr is a terminal that may show one
    base::Fd ready{};       // whoever started it waits there to hear whether it is ready
};

/// Until it is told to stop or, on demand, has nothing to do. Errc::conflict if the home has a host; others if it cannot be one.
/// [main thread, may block]
Result<void> run_host(HostTask task);

} // namespace pfar::house
