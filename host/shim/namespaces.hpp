// Leaving the host's namespaces, and who one is in the new ones.
#pragma once

#include "shim/orders.hpp"

namespace pfar::shim {

/// Unshares what is asked. With a pid namespace this returns in a new process, number 1 there; the old one stays behind, waits for it and
/// ends as it does.
void leave_namespaces(Orders& orders);

/// A further user namespace, in which there are no capabilities over the network namespace that was just set up.
void enter_second_user_namespace(Orders const& orders);

} // namespace pfar::shim
