// Landlock: the process denies itself every file that its orders do not name.
#pragma once

#include "shim/orders.hpp"

namespace pfar::shim {

/// Null if it worked (or nothing was asked), else the stage that failed, with errno set. Needs no_new_privs.
char const* confine(Orders const& orders);

} // namespace pfar::shim
