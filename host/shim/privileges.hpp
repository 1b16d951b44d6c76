// Everything a process can give up, given up. In this order; the filter comes last, because the others need calls that it denies.
#pragma once

#include "shim/orders.hpp"

namespace pfar::shim {

void set_limits(Orders const& orders);
/// Capabilities out of every set, the user changed if asked, no new privileges.
void drop_privileges(Orders const& orders);
void filter_calls(Orders const& orders);

} // namespace pfar::shim
