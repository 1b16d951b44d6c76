// Landlock: the process denies itself every file that its orders do not name.
#pragma once

#include "shim/orders.hpp"

namespace pfar::shim {

/// Does nothing if nothing was asked. The server's streams can be opened anew as they were opened. Needs no_new_privs.
void confine(Orders const& orders, Stdio const& stdio);

} // namespace pfar::shim
