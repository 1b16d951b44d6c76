// How much memory waits in the sockets of this network namespace, for where no control group counts it.
#pragma once

#include <cstdint>

namespace pfar::shim {

/// A descriptor to ask with; to be opened before the system call filter denies it. -1 if the kernel has no such thing.
int open_socket_monitor();

/// Bytes, as far as the kernel tells; rather too many than too few.
std::uint64_t socket_memory(int monitor);

} // namespace pfar::shim
