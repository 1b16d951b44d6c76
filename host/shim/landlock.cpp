// The constants are our own: Debian 12's headers end at ABI 2, and the kernel may know more.
#include "shim/landlock.hpp"

#include "shim/report.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace pfar::shim {
namespace {

constexpr std::uint64_t execute = 1U << 0U, write_file = 1U << 1U, read_file = 1U << 2U, read_dir = 1U << 3U,
                        remove_any = (1U << 4U) | (1U << 5U), make_devices = (1U << 6U) | (1U << 11U),
                        make_any = (0x7fU << 6U) & ~make_devices, refer = 1U << 13U, truncate = 1U << 14U,
                        ioctl_dev = 1U << 15U;
constexpr std::uint64_t for_files = execute | write_file | read_file | truncate | ioctl_dev;

struct Ruleset {
    std::uint64_t files, network, scopes;
};
constexpr std::uint64_t scope_all = 3; // abstract sockets, signals

struct [[gnu::packed]] Beneath {
    std::uint64_t allowed;
    std::int32_t parent;
};

/// Every right that the kernel's version can deny.
std::uint64_t handled(long abi) {
    std::uint64_t rights = 0x1fffU;
    if (abi >= 2) rights |= refer;
    if (abi >= 3) rights |= truncate;
    if (abi >= 5) rights |= ioctl_dev;
    return rights;
}

std::uint64_t rights_of(unsigned asked) {
    std::uint64_t rights = 0;
    if ((asked & shim_read) != 0) rights |= read_file | read_dir;
    if ((asked & shim_execute) != 0) rights |= execute | read_file;
    if ((asked & shim_create) != 0) rights |= make_any;
    if ((asked & shim_update) != 0) rights |= write_file | truncate | ioctl_dev;
    if ((asked & shim_remove) != 0) rights |= remove_any;
    if ((asked & shim_create) != 0 && (asked & shim_remove) != 0) rights |= refer;
    return rights;
}

bool add(int ruleset, Rule const& rule, std::uint64_t mask) {
    int const path = ::open(rule.path, O_PATH | O_CLOEXEC);
    struct stat status {};
    if (path < 0 || ::fstat(path, &status) != 0) return false;
    auto allowed = rights_of(rule.rights) & mask;
    if (!S_ISDIR(status.st_mode)) allowed &= for_files;
    Beneath const beneath{allowed, path};
    bool const added = ::syscall(SYS_landlock_add_rule, ruleset, 1, &beneath, 0) == 0;
    ::close(path);
    return added;
}

/// For /dev/stdout and the like. A stream that cannot have a rule, such as a pipe, needs none.
void add_stream(int ruleset, int fd, std::uint64_t mask) {
    struct stat status {};
    if (fd < 0 || ::fstat(fd, &status) != 0 || !(S_ISREG(status.st_mode) || S_ISCHR(status.st_mode))) return;
    int const mode = ::fcntl(fd, F_GETFL) & O_ACCMODE;
    std::uint64_t const rights =
        (mode != O_WRONLY ? read_file : 0) | (mode != O_RDONLY ? write_file | truncate | ioctl_dev : 0);
    Beneath const beneath{rights & mask, fd};
    ::syscall(SYS_landlock_add_rule, ruleset, 1, &beneath, 0);
}

} // namespace

void confine(Orders const& orders, Stdio const& stdio) {
    bool const scoped = (orders.flags & shim_flag_scoped) != 0;
    if (orders.rules.count == 0 && !scoped) return;
    long const abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1);
    if (abi < 1 && orders.rules.count == 0) return; // scoping is as far as the kernel can
    must(abi >= 1, ShimStage::landlock);
    // A domain also keeps its processes from tracing others, so there is one even where the kernel knows no scopes.
    std::uint64_t const mask = orders.rules.count != 0 ? handled(abi) : make_devices;
    Ruleset const wanted{mask, 0, scoped && abi >= 6 ? scope_all : 0};
    auto const size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
    auto const ruleset = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &wanted, size, 0));
    must(ruleset >= 0, ShimStage::landlock);
    for (auto const& rule : orders.rules) must(add(ruleset, rule, mask), ShimStage::landlock, rule.path);
    if (orders.rules.count != 0)
        for (int const fd : stdio.fds) add_stream(ruleset, fd, mask);
    must(::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0, ShimStage::landlock);
    ::close(ruleset);
}

} // namespace pfar::shim
