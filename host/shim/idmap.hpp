// Idmapped mounts: what belongs to an owner on disk belongs to somebody else in the mount.
#pragma once

#include "shim/orders.hpp"

namespace pfar::shim {

/// Shows `owner`'s files in the detached mount `tree` as `shown_as`'s. `root` is where /proc is found. False with errno: EINVAL if the file
/// system cannot.
bool map_owner(int tree, int root, Ids const& owner, Ids const& shown_as);

} // namespace pfar::shim
