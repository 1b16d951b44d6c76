// The mount system calls of Linux 5.2 to 5.12 that Debian 12's C library does not declare in full.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif

namespace pfar::shim {

inline constexpr std::uint64_t mount_read_only = 1, mount_no_suid = 2, mount_no_dev = 4, mount_no_exec = 8,
                               mount_idmap = 0x100000;

struct MountAttributes {
    std::uint64_t set, clear, propagation, user_namespace;
};

/// A detached copy of the mount at an open path, with everything below it.
inline int copy_tree(int at) {
    constexpr unsigned clone = 1;
    return static_cast<int>(::syscall(SYS_open_tree, at, "", clone | O_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE));
}

inline bool attach(int tree, int target) {
    constexpr unsigned from_empty_path = 4, to_empty_path = 0x40;
    return ::syscall(SYS_move_mount, tree, "", target, "", from_empty_path | to_empty_path) == 0;
}

inline bool change_mount(int at, MountAttributes const& attributes, unsigned flags) {
    return ::syscall(SYS_mount_setattr, at, "", AT_EMPTY_PATH | flags, &attributes, sizeof attributes) == 0;
}

} // namespace pfar::shim
