// The bytes between host and pfar-shim, for backends that bring a launcher of their own. The shim's contract:
//
// It is started with a Unix stream socket at descriptor `orders_fd`. The host sends four bytes of length (little endian; with the orders
// of a shim that stays, the server's stdin, stdout and stderr travel beside them), then that many bytes: records, each a tag, a length
// in four bytes and a body, ended by ShimTag::done. The shim obeys in the order in which the tags are listed here. It answers with
// messages: a ShimNote, then `size` bytes of text. One that stays is the parent of the server and reports how it goes until it ends;
// while it runs, each byte that the host sends is a signal to pass on to the server (or one of shim_asks_sockets and its like), and the end of the stream means:
// kill everything.
// On failure it sends one `failed` note and exits with `shim_failed`.
#pragma once

#include <cstdint>

namespace pfar {

enum class ShimTag : std::uint8_t {
    flags = 'f',      // u32: shim_flag_*
    namespaces = 'n', // u32: CLONE_NEW*
    seen_as = 'u',    // u32 uid, u32 gid: the identity in the new user namespace
    mount =
        'm', // u8 MountOrder::Kind, u8 bits (shim_mount_*), u64 size, u32 uid, u32 gid, then the target, a NUL, and the rest is the
    // source (absolute) or, for a file or link, its content
    witness = 'v',     // u64 device, u64 inode, then a path that has to be just that
    listen = 'i',      // u8 role (EgressListener::Role), u16 port
    then_as = 'w',     // u32 uid, u32 gid: a second user namespace
    become = 'b',      // u32 uid, u32 gid
    secret_file = 'k', // a path, a NUL, and the content; made by the server's own user, mode 0400
    limit = 'r',       // u8 resource (RLIMIT_*), u64 value
    landlock = 'l',    // one byte of rights, then a path; from the first one on, everything else is denied
    seccomp = 's',     // the filter: struct sock_filter[]
    directory = 'd',   // the working directory
    program = 'p',     // absolute path
    argument = 'a',    // argv[1], argv[2], ...
    variable = 'e',    // NAME=value
    done = '.',        // length 0
};

inline constexpr std::uint32_t shim_flag_stay = 1, shim_flag_new_root = 2, shim_flag_scoped = 4, shim_flag_terminal = 8,
                               shim_flag_routes = 16;

inline constexpr unsigned shim_mount_writable = 1, shim_mount_owner = 2;
inline constexpr std::uint32_t shim_mount_head = 18; // bytes before the target

/// The bits of a landlock record.
inline constexpr unsigned shim_read = 1, shim_create = 2, shim_update = 4, shim_remove = 8, shim_execute = 16;

enum class ShimNoteKind : std::uint8_t {
    inside = 'i',    // a pidfd of the shim travels beside it: when that is readable, everything inside is gone
    listener = 'l',  // value: role * 65536 + port; the socket travels beside it
    no_routes = 'n', // transparent mode could not be set up (value: errno); the proxy alone is there
    running = 'r',   // the server has been executed
    stopped = 's',   // value: the signal that stopped it (job control)
    failed = 'f',    // stage, value: errno; the text is the path it was about
    ended = 'e',     // value: as waitpid gives it
    sockets = 'm',   // value: KiB that wait in the sandbox's sockets; the answer to shim_asks_sockets
};

enum class ShimStage : std::uint8_t {
    orders,
    lifeline,
    namespaces,
    identity,
    root,
    mount,
    loopback,
    listener,
    user,
    limits,
    capabilities,
    secret_file,
    landlock,
    seccomp,
    fork,
    terminal,
    directory,
    program,
    count
};
inline constexpr char const* shim_stage_names[] = {"read its orders",
                                                   "tie its life to the host's",
                                                   "make namespaces",
                                                   "map its user",
                                                   "make a root directory",
                                                   "mount",
                                                   "bring up the loopback interface",
                                                   "listen",
                                                   "change its user",
                                                   "set limits",
                                                   "drop its capabilities",
                                                   "write a credential file",
                                                   "switch Landlock on",
                                                   "switch the system call filter on",
                                                   "start a process",
                                                   "take the terminal",
                                                   "enter the working directory",
                                                   "execute"};
static_assert(sizeof shim_stage_names / sizeof *shim_stage_names == static_cast<unsigned>(ShimStage::count));

struct ShimNote {
    ShimNoteKind kind;
    ShimStage stage;
    std::uint16_t size; // of the text behind it
    std::int32_t value;
};

/// Bytes from the host that are no signals.
inline constexpr unsigned char shim_asks_sockets = 255, shim_freezes = 254, shim_thaws = 253;
inline constexpr int shim_failed = 125;
inline constexpr std::uint32_t shim_most_bytes = 4U << 20U; // of all orders together

} // namespace pfar
