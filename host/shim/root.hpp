// What the process sees: a root of its own, or mounts over the one there is.
#pragma once

#include "shim/orders.hpp"

namespace pfar::shim {

void build_root(Orders const& orders);

/// Gives up if a path is not what the host saw when it granted it.
void check_witnesses(Orders const& orders);

} // namespace pfar::shim
