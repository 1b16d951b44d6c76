// The bytes by which pfar-shim gets its orders, for backends that bring a launcher of their own.
//
// A sequence of records, each a tag, a length in four bytes (little endian) and that many bytes, ended by Tag::done.
// The shim reads them from descriptor `orders_fd`, obeys them in the order in which they are listed here, and executes.
// On failure it writes "pfar-shim: STAGE: REASON" to stderr and exits with `shim_failed`.
#pragma once

#include <cstdint>

namespace pfar {

enum class ShimTag : std::uint8_t {
    landlock = 'l',  // one byte of rights, then a path; from the first one on, everything else is denied
    directory = 'd', // the working directory
    program = 'p',   // absolute path
    argument = 'a',  // argv[1], argv[2], ...
    variable = 'e',  // NAME=value
    done = '.',      // length 0
};

/// The bits of a landlock record.
inline constexpr unsigned shim_read = 1, shim_create = 2, shim_update = 4, shim_remove = 8, shim_execute = 16;

inline constexpr int shim_failed = 125;
inline constexpr std::uint32_t shim_most_bytes = 4U << 20U; // of all orders together

} // namespace pfar
