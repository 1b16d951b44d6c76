// One MountOrder, done.
#pragma once

#include "shim/orders.hpp"

namespace pfar::shim {

struct Places {
    int sources, targets; // the roots in which paths of the two kinds are looked up
    Ids shown_as;         // for mounts with an owner
};

/// Gives up on failure, naming the path.
void perform(Mount const& mount, Places const& places);

} // namespace pfar::shim
