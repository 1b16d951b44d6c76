// The constants are our own: Debian 12's headers end at ABI 2, and the kernel may know more.
#include "shim/landlock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace pfar::shim {
namespace {

constexpr std::uint64_t execute = 1U << 0U, write_file = 1U << 1U, read_file = 1U << 2U, read_dir = 1U << 3U,
                        remove_any = (1U << 4U) | (1U << 5U), make_any = 0x7fU << 6U, refer = 1U << 13U,
                        truncate = 1U << 14U, ioctl_dev = 1U << 15U;
constexpr std::uint64_t for_files = execute | write_file | read_file | truncate | ioctl_dev;

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
    if ((asked & shim_update) != 0) rights |= write_file | truncate;
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

} // namespace

char const* confine(Orders const& orders) {
    if (orders.rule_count == 0) return nullptr;
    long const abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1);
    if (abi < 1) return "landlock is not available";
    std::uint64_t const mask = handled(abi);
    auto const ruleset = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &mask, sizeof mask, 0));
    if (ruleset < 0) return "landlock ruleset";
    for (std::size_t i = 0; i < orders.rule_count; ++i)
        if (!add(ruleset, orders.rules[i], mask)) return "landlock rule";
    if (::syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) return "landlock restriction";
    ::close(ruleset);
    return nullptr;
}

} // namespace pfar::shim
