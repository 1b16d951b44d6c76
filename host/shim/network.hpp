// The only way out: listeners in the sandbox's own network namespace, handed to the host.
#pragma once

#include "shim/orders.hpp"

namespace pfar::shim {

/// Brings loopback up, routes everything to it if asked, and sends every listener. If the routes are refused, the host is told and
/// only the proxy's listener is made.
void open_listeners(Orders const& orders);

} // namespace pfar::shim
