// The host's name for a descriptor with one owner; the class itself is part of the plugin interface.
#pragma once

#include <pfar/fd.hpp>

namespace pfar::base {

using pfar::Fd;

} // namespace pfar::base
