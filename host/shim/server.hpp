// The server: started by the shim, watched, and taken along when the shim goes.
#pragma once

#include "shim/orders.hpp"

namespace pfar::shim {

/// Executes it as a child, passes the host's signals on, reaps whatever is orphaned, and reports the end. `monitor` is for when the host asks
/// for the memory of sockets.
[[noreturn]] void run_server(Orders& orders, Stdio const& stdio, int monitor);

} // namespace pfar::shim
