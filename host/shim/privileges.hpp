// Everything a process can give up, given up. In this order; the filter comes last, because the others need calls that it denies.
#pragma once

#include "shim/orders.hpp"

namespace pfar::shim {

void set_limits(Orders const& orders);
/// Capabilities out of every set, the user changed if asked, no new privileges.
void drop_privileges(Orders const& orders);
/// As the server's own user, into a directory that is its own. Landlock comes later, and then it can only read them.
void write_secret_files(Orders const& orders);
void filter_calls(Orders const& orders);

} // namespace pfar::shim
