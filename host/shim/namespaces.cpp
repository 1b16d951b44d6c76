// The process that stays behind holds nothing: no descriptor, no secret. Its death is its child's death, and that is the namespace's; the
// host's death is seen by the child, at the end of its socket.
#include "shim/namespaces.hpp"

#include "shim/report.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace pfar::shim {
namespace {

bool put_text(char const* path, char const* text) {
    int const file = ::open(path, O_WRONLY | O_CLOEXEC);
    bool const written = file >= 0 && ::write(file, text, std::strlen(text)) == static_cast<ssize_t>(std::strlen(text));
    int const error = errno;
    if (file >= 0) ::close(file);
    errno = error;
    return written;
}

void map_ids(Ids const& inside, uid_t uid, gid_t gid) {
    char line[64];
    put_text("/proc/self/setgroups", "deny"); // absent before 3.19
    std::snprintf(line, sizeof line, "%u %u 1", inside.uid, uid);
    must(put_text("/proc/self/uid_map", line), ShimStage::identity, "/proc/self/uid_map");
    std::snprintf(line, sizeof line, "%u %u 1", inside.gid, gid);
    must(put_text("/proc/self/gid_map", line), ShimStage::identity, "/proc/self/gid_map");
}

[[noreturn]] void stay_behind(pid_t child, Orders& orders) {
    ::explicit_bzero(orders.bytes, orders.size);
    ::close_range(0, ~0U, 0);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

} // namespace

void leave_namespaces(Orders& orders) {
    if (orders.namespaces == 0) return;
    auto const uid = ::geteuid();
    auto const gid = ::getegid();
    must(::unshare(static_cast<int>(orders.namespaces)) == 0, ShimStage::namespaces);
    if ((orders.namespaces & CLONE_NEWUSER) != 0) {
        map_ids(orders.seen_as, uid, gid);
        must(put_text("/proc/sys/user/max_user_namespaces", "0"), ShimStage::identity,
             "/proc/sys/user/max_user_namespaces");
    }
    if ((orders.namespaces & CLONE_NEWUTS) != 0)
        must(::sethostname("pfar", 4) == 0, ShimStage::namespaces, "host name");
    if ((orders.namespaces & CLONE_NEWPID) == 0) return;
    pid_t const child = ::fork();
    must(child >= 0, ShimStage::fork);
    if (child > 0) stay_behind(child, orders);
}

void enter_second_user_namespace(Orders const& orders) {
    if (!orders.then_as.given) return;
    auto const uid = ::geteuid();
    auto const gid = ::getegid();
    must(::unshare(CLONE_NEWUSER) == 0, ShimStage::namespaces, "second user namespace");
    map_ids(orders.then_as, uid, gid);
    put_text("/proc/sys/user/max_user_namespaces",
             "0"); // read-only by now on most; the filter refuses further ones in any case
}

} // namespace pfar::shim
