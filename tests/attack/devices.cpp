// Device nodes, and the files by which the kernel is told things: /proc/sys, /proc/sysrq-trigger, /sys.
#include "attack.hpp"

#include <algorithm>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace attack {
namespace {

/// The first entry of /dev that `wanted` likes; empty if there is none.
template <class Wanted> std::string device(Wanted wanted) {
    std::string found;
    DIR* const directory = ::opendir("/dev");
    if (directory == nullptr) return found;
    while (dirent const* const entry = ::readdir(directory)) {
        struct stat about {};
        auto const path = std::string("/dev/") + entry->d_name;
        if (found.empty() && ::lstat(path.c_str(), &about) == 0 && wanted(entry->d_name, about.st_mode)) found = path;
    }
    ::closedir(directory);
    return found;
}

/// Seeing one is enough: who may open it is a matter of the user, that it is there a matter of the sandbox.
Outcome block_devices(Facts const&) {
    auto const path = device([](char const*, mode_t mode) { return S_ISBLK(mode); });
    errno = ENOENT;
    return path.empty() ? refused("block devices in /dev") : success(path);
}

Outcome other_devices(Facts const&) {
    static constexpr std::string_view harmless[] = {"null",    "zero", "full", "random",
                                                    "urandom", "tty",  "ptmx", "console"};
    auto const path = device([](char const* name, mode_t mode) {
        return S_ISCHR(mode) && std::find(std::begin(harmless), std::end(harmless), name) == std::end(harmless);
    });
    errno = ENOENT;
    return path.empty() ? refused("other devices in /dev") : success(path);
}

Outcome make_node(Facts const& facts, char const* directory, mode_t type, dev_t number) {
    auto const path = std::string(directory) + "/pfar-attack-node-" + fact(facts, "digest");
    if (::mknod(path.c_str(), type | 0600, number) != 0) return refused("mknod");
    ::unlink(path.c_str());
    return success("made a device node");
}

Outcome make_nodes(Facts const& facts) {
    auto block = make_node(facts, fact(facts, "granted").c_str(), S_IFBLK, makedev(7, 0));
    if (block.verdict == Verdict::success) return block;
    return make_node(facts, "/tmp", S_IFCHR, makedev(1, 1)); // /dev/mem
}

/// Writes back what is there.
Outcome same_again(std::string const& path) {
    auto const now = slurp(path);
    if (now.empty()) return refused(path);
    return spill(path, now) ? success("wrote " + path) : refused(path);
}

Outcome core_pattern(Facts const&) {
    return same_again("/proc/sys/kernel/core_pattern");
}

/// Some of these belong to a namespace: whoever owns it may write them, so they need a cover as well.
Outcome sysctls(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNET)) return untried("no namespaces");
    Outcome last = untried("/proc/sys");
    for (char const* const path :
         {"/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv4/ip_unprivileged_port_start", "/proc/sys/kernel/hostname",
          "/proc/sys/user/max_user_namespaces", "/proc/sys/kernel/shmmax", "/proc/sys/vm/overcommit_memory"}) {
        last = same_again(path);
        if (last.verdict == Verdict::success) break;
    }
    return last;
}

/// Reading is a find as well: devices, cgroups and the network's hardware are nobody's business inside.
Outcome sys_tree(Facts const&) {
    for (char const* const path : {"/sys/kernel/mm", "/sys/fs/cgroup", "/sys/class/net", "/sys/firmware", "/sys/block"})
        if (::access(path, R_OK) == 0) return success(std::string("sees ") + path);
    return refused("/sys");
}

} // namespace

Rows device_rows() {
    return {
        {"block-devices", "files", "finds the host's block devices", "ENOENT,EACCES", block_devices},
        {"device-nodes", "files", "finds devices beyond the harmless ones", "ENOENT,EACCES", other_devices},
        {"mknod", "files", "makes device nodes", "EPERM,EACCES", make_nodes, nullptr, Staging::plain, nullptr,
         "only the machine's root may make device nodes, in whatever namespace"},
        {"core-pattern", "kernel", "writes /proc/sys/kernel/core_pattern", "EROFS,EACCES,EPERM,ENOENT", core_pattern,
         nullptr, Staging::plain, nullptr, "only the machine's root may write it"},
        {"sysctl", "kernel", "writes settings of the kernel that belong to a namespace", "EROFS,EACCES,EPERM,ENOENT",
         sysctls},
        {"sys-tree", "kernel", "looks into /sys", "ENOENT,EACCES", sys_tree},
    };
}

} // namespace attack
