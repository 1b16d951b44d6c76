// The kernel takes the mapping from a user namespace; a child makes one, waits until it has been mapped and opened, and goes.
// The last mapping is kept, because most mounts of a sandbox have the same owner.
#include "shim/idmap.hpp"

#include "shim/mount_calls.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace pfar::shim {
namespace {

/// A file of the child's in the /proc below `root`, which is that of our own pid namespace.
int open_of(int root, pid_t child, char const* which, int flags) {
    char path[64];
    std::snprintf(path, sizeof path, "proc/%d/%s", child, which);
    return ::openat(root, path, flags | O_CLOEXEC);
}

bool write_map(int root, pid_t child, char const* which, std::uint32_t from, std::uint32_t to) {
    char line[64];
    int const length = std::snprintf(line, sizeof line, "%u %u 1", from, to);
    int const file = open_of(root, child, which, O_WRONLY);
    bool const written = file >= 0 && ::write(file, line, static_cast<std::size_t>(length)) == length;
    if (file >= 0) ::close(file);
    return written;
}

int open_namespace(int root, pid_t child, Ids const& owner, Ids const& shown_as) {
    bool const mapped = write_map(root, child, "uid_map", owner.uid, shown_as.uid) &&
                        write_map(root, child, "gid_map", owner.gid, shown_as.gid);
    return mapped ? open_of(root, child, "ns/user", O_RDONLY) : -1;
}

int make_namespace(int root, Ids const& owner, Ids const& shown_as) {
    auto const child =
        static_cast<pid_t>(::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (child < 0) return -1;
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        ::alarm(10); // its maker may have ended before that was in force
        for (;;) ::pause();
    }
    int const made = open_namespace(root, child, owner, shown_as);
    int const error = errno;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    errno = error;
    return made;
}

} // namespace

bool map_owner(int tree, int root, Ids const& owner, Ids const& shown_as) {
    static int kept = -1;
    static Ids kept_owner{};
    if (kept < 0 || kept_owner.uid != owner.uid || kept_owner.gid != owner.gid) {
        if (kept >= 0) ::close(kept);
        kept = make_namespace(root, owner, shown_as);
        kept_owner = owner;
    }
    if (kept < 0) return false;
    MountAttributes attributes{};
    attributes.set = mount_idmap, attributes.user_namespace = static_cast<std::uint64_t>(kept);
    return change_mount(tree, attributes, AT_RECURSIVE);
}

} // namespace pfar::shim
