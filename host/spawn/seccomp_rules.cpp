// The tables. EPERM: a program can do without it. ENOSYS: a program has a fallback that it takes only if the kernel seems older.
//
// Left alone on purpose: seccomp, prctl and landlock (a server may confine itself further), mbind, set_mempolicy and move_pages (the JVM),
// name_to_handle_at (libsystemd; harmless without open_by_handle_at), personality's query.
#include "spawn/seccomp_rules.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>

namespace pfar::spawn {
namespace {

using Rules = std::vector<RefusedCall>;

constexpr std::uint32_t whole = 0xffffffff;
constexpr std::uint32_t socket_type = 0xf; // above it are SOCK_CLOEXEC and SOCK_NONBLOCK

constexpr char const* never[] = {
    // other namespaces and mounts
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr", "move_mount",
    "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_by_handle_at", "fanotify_init",
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp",
    // large parts of the kernel that a server has no use for
    "keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd", "lookup_dcookie", "nfsservctl",
    // the machine itself
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "swapon", "swapoff", "acct",
    "quotactl", "quotactl_fd", "syslog", "reboot", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "iopl",
    "ioperm", "vhangup", "sethostname", "setdomainname"};

/// clone3 and openat2 keep their flags behind a pointer, where a filter cannot look.
constexpr char const* not_there[] = {"clone3", "openat2", "io_uring_setup", "io_uring_enter", "io_uring_register"};

/// Memory that can be filled, unmapped and kept: sampling the processes would not see it.
constexpr char const* hidden_memory[] = {"shmget", "msgget", "semget", "memfd_create", "memfd_secret", "vmsplice"};

/// What Landlock alone does not cover, for a sandbox without namespaces: other people's IPC, and attributes of files by their paths.
constexpr char const* uncovered[] = {"shmget",      "msgget",       "semget",        "chmod",       "fchmodat",
                                     "fchmodat2",   "chown",        "lchown",        "fchownat",    "utime",
                                     "utimes",      "futimesat",    "setxattr",      "lsetxattr",   "setxattrat",
                                     "removexattr", "lremovexattr", "removexattrat", "file_setattr"};

constexpr std::uint32_t namespace_flags[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                             CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};

constexpr std::uint32_t terminal_requests[] = {TIOCSTI, TIOCLINUX, TIOCSETD};

void refuse_each(Rules& out, RefusedCall const& rule, std::vector<ArgumentIs> const& conditions) {
    for (auto const& condition : conditions) {
        out.push_back(rule);
        out.back().when.push_back(condition);
    }
}

void refuse_namespaces(Rules& out) {
    for (auto const flag : namespace_flags) out.push_back({"clone", EPERM, {{0, flag, flag}}});
}

/// Neither a set-uid or set-gid file nor a device, as systemd's RestrictSUIDSGID. Without O_CREAT or O_TMPFILE the mode is whatever is
/// in the register. mkdir drops these bits by itself.
void refuse_special_files(Rules& out) {
    constexpr std::uint32_t creates[] = {O_CREAT, O_TMPFILE & ~O_DIRECTORY};
    for (std::uint32_t const bit : {S_ISUID, S_ISGID}) {
        auto const has_bit = [&](unsigned argument) { return ArgumentIs{argument, bit, bit}; };
        for (auto const* const call : {"chmod", "fchmod", "creat", "mknod"}) out.push_back({call, EPERM, {has_bit(1)}});
        for (auto const* const call : {"fchmodat", "fchmodat2", "mknodat"}) out.push_back({call, EPERM, {has_bit(2)}});
        for (auto const flag : creates) {
            out.push_back({"open", EPERM, {{1, flag, flag}, has_bit(2)}});
            out.push_back({"openat", EPERM, {{2, flag, flag}, has_bit(3)}});
        }
    }
    for (std::uint32_t const device : {S_IFCHR, S_IFBLK}) {
        out.push_back({"mknod", EPERM, {{1, S_IFMT, device}}});
        out.push_back({"mknodat", EPERM, {{2, S_IFMT, device}}});
    }
}

/// Local and internet sockets only; none that Landlock's and the egress filter's view of TCP does not cover.
void refuse_odd_sockets(Rules& out) {
    constexpr std::uint32_t packet = 10, mptcp = 262, smc = 256;
    refuse_each(out, {"socket", EAFNOSUPPORT, {}}, none_of(0, {AF_UNIX, AF_INET, AF_INET6}, 32));
    for (std::uint32_t const type : {static_cast<std::uint32_t>(SOCK_RAW), packet})
        out.push_back({"socket", EPERM, {{1, socket_type, type}}});
    for (auto const protocol : {mptcp, smc}) out.push_back({"socket", EPROTONOSUPPORT, {{2, whole, protocol}}});
}

/// For a sandbox without a network namespace. A pair is no way out unless it is of datagrams, which can be sent to any address.
void refuse_sockets(Rules& out) {
    for (auto const* const call : {"socket", "connect", "bind", "listen"}) out.push_back({call, EACCES, {}});
    refuse_each(out, {"socketpair", EACCES, {}}, none_of(1, {SOCK_STREAM, SOCK_SEQPACKET}, 4));
}

/// The shim is process 1 and has the same uid: it must not be slowed down or starved. Without a pid namespace that holds for everybody.
void refuse_handling_others(Rules& out, bool everybody) {
    auto const others = everybody ? none_of(0, {0}, 32) : std::vector<ArgumentIs>{{0, whole, 1}};
    for (auto const* const call :
         {"prlimit64", "sched_setscheduler", "sched_setparam", "sched_setattr", "sched_setaffinity"})
        refuse_each(out, {call, EPERM, {}}, others);
    constexpr std::uint32_t ioprio_process = 1;
    for (auto const& [call, process] : {std::pair{"setpriority", 0U}, std::pair{"ioprio_set", ioprio_process}}) {
        refuse_each(out, {call, EPERM, {}}, none_of(0, {process}, 32)); // neither groups nor all of a user's
        refuse_each(out, {call, EPERM, {}}, everybody ? none_of(1, {0}, 32) : std::vector<ArgumentIs>{{1, whole, 1}});
    }
}

/// TCP Fast Open connects without connect(), which is what Landlock looks at.
void refuse_fast_open(Rules& out) {
    constexpr std::uint32_t fast_open = 0x20000000, tcp = 6, fast_open_connect = 30;
    out.push_back({"sendto", EPERM, {{3, fast_open, fast_open}}});
    out.push_back({"sendmsg", EPERM, {{2, fast_open, fast_open}}});
    out.push_back({"sendmmsg", EPERM, {{3, fast_open, fast_open}}});
    out.push_back({"setsockopt", EPERM, {{1, whole, tcp}, {2, whole, fast_open_connect}}});
}

/// A call that is refused in any case needs no further rule.
Rules without_repetition(Rules const& rules) {
    Rules out;
    std::set<std::string> always;
    for (auto const& rule : rules)
        if (rule.when.empty() && always.insert(rule.call).second) out.push_back(rule);
    for (auto const& rule : rules)
        if (!rule.when.empty() && !always.contains(rule.call)) out.push_back(rule);
    return out;
}

} // namespace

std::vector<ArgumentIs> none_of(unsigned argument, std::vector<std::uint32_t> const& allowed, unsigned width) {
    std::vector<ArgumentIs> out;
    std::uint32_t const all = width == 32 ? whole : (1U << width) - 1;
    for (unsigned place = width; place-- > 0;) {
        std::uint32_t const bit = 1U << place;
        std::uint32_t const prefix = all & ~(bit - 1);
        for (auto const value : allowed) {
            std::uint32_t const other = (value & prefix) ^ bit;
            auto const is_other = [&](std::uint32_t one) { return (one & prefix) == other; };
            bool const said = std::any_of(out.begin(), out.end(),
                                          [&](auto const& is) { return is.mask == prefix && is.value == other; });
            if (!said && std::none_of(allowed.begin(), allowed.end(), is_other))
                out.push_back({argument, prefix, other});
        }
    }
    return out;
}

std::vector<RefusedCall> seccomp_rules(FilterWishes const& wishes) {
    Rules out;
    for (auto const* const call : never) out.push_back({call, EPERM, {}});
    for (auto const* const call : not_there) out.push_back({call, ENOSYS, {}});
    if (wishes.deny_hidden_memory)
        for (auto const* const call : hidden_memory) out.push_back({call, ENOSYS, {}});
    refuse_namespaces(out);
    refuse_special_files(out);
    wishes.deny_sockets ? refuse_sockets(out) : refuse_odd_sockets(out);
    refuse_each(out, {"socketpair", EAFNOSUPPORT, {}}, none_of(0, {AF_UNIX}, 32));
    if (wishes.deny_unix && !wishes.deny_sockets) out.push_back({"socket", EACCES, {{0, whole, AF_UNIX}}});
    if (wishes.deny_sockets)
        for (auto const* const call : uncovered) out.push_back({call, EPERM, {}});
    refuse_handling_others(out, wishes.deny_sockets);
    refuse_fast_open(out);
    for (auto const request : terminal_requests) out.push_back({"ioctl", EPERM, {{1, whole, request}}});
    refuse_each(out, {"personality", EPERM, {}}, none_of(0, {0, whole}, 32)); // all ones only asks
    return without_repetition(out);
}

} // namespace pfar::spawn
