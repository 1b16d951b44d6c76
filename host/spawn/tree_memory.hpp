// How much memory a process and all its descendants use, for where the kernel cannot limit it.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace pfar::spawn {

/// Bytes, each page once as far as the kernel tells: anonymous and shared memory and what of it is in swap, not the pages of files, which the
/// kernel can drop. A process that does not let itself be looked at counts with all that it shares. Looks at 4096 processes at most.
/// Memory that no process maps, and a descendant that was adopted from outside the tree, are not seen. [any thread, may block]
std::uint64_t tree_memory(pid_t top);

} // namespace pfar::spawn
