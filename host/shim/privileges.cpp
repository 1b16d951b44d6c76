// A capability that stays in the bounding set because dropping it is refused cannot be had: there are none left to grant it, and
// no_new_privs keeps files from doing so.
#include "shim/privileges.hpp"

#include "shim/report.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace pfar::shim {
namespace {

void empty_bounding_set() {
    for (unsigned long capability = 0; capability < 64; ++capability)
        if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno == EINVAL) return; // past the last one
}

void empty_capabilities() {
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct const none[2]{};
    must(::syscall(SYS_capset, &head, none) == 0, ShimStage::capabilities);
}

} // namespace

void set_limits(Orders const& orders) {
    for (auto const& limit : orders.limits) {
        auto const resource = static_cast<__rlimit_resource>(limit.resource);
        rlimit64 now{};
        must(::prlimit64(0, resource, nullptr, &now) == 0, ShimStage::limits);
        auto const value = limit.value < now.rlim_max ? limit.value : now.rlim_max; // never above what we were given
        rlimit64 const wanted{value, value};
        must(::prlimit64(0, resource, &wanted, nullptr) == 0, ShimStage::limits);
    }
}

void drop_privileges(Orders const& orders) {
    empty_bounding_set();
    if (auto const& ids = orders.become; ids.given)
        must(::setgroups(0, nullptr) == 0 && ::setresgid(ids.gid, ids.gid, ids.gid) == 0 &&
                 ::setresuid(ids.uid, ids.uid, ids.uid) == 0,
             ShimStage::user);
    empty_capabilities();
    must(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, ShimStage::capabilities);
}

void write_secret_files(Orders const& orders) {
    for (auto const& file : orders.secret_files) {
        int const fd = ::open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
        must(fd >= 0, ShimStage::secret_file, file.path);
        for (std::size_t done = 0; done < file.size;) {
            auto const wrote = ::write(fd, file.content + done, file.size - done);
            must(wrote > 0, ShimStage::secret_file, file.path);
            done += static_cast<std::size_t>(wrote);
        }
        ::close(fd);
    }
}

void filter_calls(Orders const& orders) {
    if (orders.filter == nullptr) return;
    sock_fprog const program{static_cast<unsigned short>(orders.filter_size / sizeof(sock_filter)),
                             reinterpret_cast<sock_filter*>(orders.filter)};
    must(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0, ShimStage::seccomp);
}

} // namespace pfar::shim
