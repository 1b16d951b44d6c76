// LaunchPlan: what a backend answers: the command line that enforces a policy, and what the shim still has to do inside.
//
// Plain data. host/spawn has the only fork; it gives the first program an empty environment, /dev/null as stdin, a pipe for its
// complaints as stdout and stderr, `data` and, if there are orders, the shim's socket at `orders_fd`; nothing else.
#pragma once

#include <pfar/sandbox_policy.hpp>

namespace pfar {

inline constexpr int orders_fd = 3;

/// Bytes that the launched program finds to read at a descriptor.
struct DataFd {
    int fd; // above orders_fd
    std::string content;
};

/// A path beneath which the shim allows `rights` by Landlock; everything else is denied once there is one rule.
struct LandlockRule {
    std::filesystem::path path;
    Rights rights;
};

/// Who owns a path on disk. In a mount that has one, that owner is shown as the sandbox's own identity (an idmapped mount).
struct Owner {
    uid_t uid;
    gid_t gid;
};

/// What the host saw at a path that it granted. A launcher that was led elsewhere since then is found out.
struct Witness {
    std::filesystem::path inside;
    std::uint64_t device, inode;
};

/// One step by which the shim builds what the process sees, in order. Directories above a target are made as needed.
struct MountOrder {
    enum class Kind : std::uint8_t {
        bind,      // source, with everything mounted below it
        device,    // source, a device node
        tmpfs,     // of `size` bytes; with new_root the first step is the one for /
        proc,      // with /proc/sys read-only
        devpts,    // a terminal namespace of its own
        file,      // `content`
        link,      // to `content`
        directory, // empty
        seal,      // makes the mount at target read-only
    };
    Kind kind;
    std::filesystem::path source{}, target{};
    std::string content{};
    bool writable = false;
    std::uint64_t size = 0;
    std::optional<Owner> owner{};
};

/// What pfar-shim does once it runs, in this order; then it executes `command`.
struct ShimOrders {
    bool stay = true;                // false: execute in place, leaving orders_fd open for the next shim
    unsigned namespaces = 0;         // CLONE_NEW* to leave; with CLONE_NEWPID it goes on as process 1 there
    std::optional<Identity> seen_as; // with CLONE_NEWUSER: this uid and gid inside
    bool new_root = false;           // the mounts make an empty root of its own; false: they go over what is there
    std::vector<MountOrder> mounts;
    std::vector<Witness> witnesses; // checked once the mounts are there
    Network network;
    std::optional<Identity>
        then_as; // once the listeners are there: a further user namespace in which it is this uid and gid
    std::optional<Identity> become; // switch to kernel_uid of this; none: stay
    Limits limits;
    std::vector<LandlockRule> landlock;
    bool scoped = false;     // by Landlock, where the kernel has it: no signals and abstract sockets to the outside
    bool seccomp = false;    // the host's filter
    bool no_sockets = false; // and it denies internet and Unix sockets altogether
    bool no_unix_sockets = false; // or only Unix sockets; pairs are allowed
    Command command;
};

/// One line of `pfar plan`.
struct MountLine {
    std::filesystem::path path;
    std::string mode; // "ro", "rw", "tmpfs 64m"
    std::string why;
};

struct LaunchPlan {
    std::vector<std::string> argv; // argv[0] is an absolute path
    std::vector<DataFd> data;
    std::optional<ShimOrders>
        prepare; // for a shim that runs before the launcher: argv is then its own, and it executes the launcher
    std::optional<ShimOrders> orders; // for the shim inside
    std::vector<MountLine> mounts;
    Guarantees guarantees; // what this very plan keeps
};

} // namespace pfar
