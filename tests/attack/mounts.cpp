// Changing what is mounted where, and leaving the root directory. In the control this happens in a mount namespace of its own.
#include "attack.hpp"

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace attack {
namespace {

constexpr char no_mount[] = "EPERM,EACCES,ENOSYS";

std::string mount_point(Facts const& facts) {
    auto path = fact(facts, "granted") + "/mnt";
    ::mkdir(path.c_str(), 0700);
    return path;
}

/// Mounts at the mount point, and takes it away again.
Outcome mounts(Facts const& facts, char const* source, char const* type, unsigned long flags) {
    auto const path = mount_point(facts);
    auto outcome = judged(::mount(source, path.c_str(), type, flags, nullptr), std::string("mount of ") + source);
    ::umount2(path.c_str(), MNT_DETACH);
    return outcome;
}

Outcome mount_tmpfs(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    return mounts(facts, "tmpfs", "tmpfs", 0);
}

Outcome mount_bind(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    return mounts(facts, "/", nullptr, MS_BIND | MS_REC);
}

/// A fresh /proc would have a writable /proc/sys. It needs a process namespace of its own, so the control makes one.
Outcome mount_proc(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS | CLONE_NEWPID)) return untried("no namespaces");
    int const error =
        in_child([&] { return mounts(facts, "proc", "proc", 0).verdict == Verdict::success ? 0 : errno; });
    return judged_child(error, "mount of proc");
}

Outcome mount_sysfs(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS | CLONE_NEWNET)) return untried("no namespaces");
    return mounts(facts, "sysfs", "sysfs", 0);
}

Outcome mount_devpts(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    return mounts(facts, "devpts", "devpts", 0);
}

Outcome mount_overlay(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    return past_permission(::mount("overlay", mount_point(facts).c_str(), "overlay", 0, "lowerdir=/nowhere"),
                           "overlay");
}

Outcome remount_root(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    return past_permission(::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | MS_RELATIME, nullptr), "remount of /");
}

Outcome remount_usr(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    return past_permission(::mount(nullptr, "/usr", nullptr, MS_REMOUNT | MS_BIND | MS_RELATIME, nullptr),
                           "remount of /usr");
}

Outcome make_shared(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    return past_permission(::mount(nullptr, fact(facts, "granted").c_str(), nullptr, MS_SHARED, nullptr),
                           "propagation");
}

/// Outside nothing is mounted at either place, so only the permission is asked for.
Outcome unmount_cover(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    if (auto outcome = past_permission(::umount2("/proc/sys", MNT_DETACH), "umount of /proc/sys");
        outcome.verdict == Verdict::success)
        return outcome;
    return past_permission(::umount2(fact(facts, "granted").c_str(), MNT_DETACH), "umount of the grant");
}

Outcome new_mount(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    long const context = ::syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);
    if (context < 0) return refused("fsopen");
    if (::syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) < 0) return refused("fsconfig");
    return judged(::syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0), "fsopen, fsconfig, fsmount");
}

Outcome clone_tree(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    return judged(::syscall(SYS_open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE),
                  "open_tree of /");
}

Outcome move_tree(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    auto const granted = fact(facts, "granted");
    return past_permission(
        ::syscall(SYS_move_mount, AT_FDCWD, granted.c_str(), AT_FDCWD, mount_point(facts).c_str(), 0), "move_mount");
}

Outcome set_attributes(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    mount_attr attributes{};
    attributes.attr_clr = MOUNT_ATTR_RDONLY;
    return past_permission(::syscall(SYS_mount_setattr, AT_FDCWD, "/usr", 0, &attributes, sizeof attributes),
                           "mount_setattr of /usr");
}

Outcome change_root_mount(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    auto const granted = fact(facts, "granted"); // no mount point outside, so nothing happens there
    return past_permission(::syscall(SYS_pivot_root, granted.c_str(), granted.c_str()), "pivot_root");
}

/// The classic way out: a descriptor above, a root below, and then up.
Outcome leave_root(Facts const& facts) {
    if (!own_namespaces(facts, 0)) return untried("no user namespace");
    int const above = ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (above < 0 || ::chroot(fact(facts, "granted").c_str()) != 0) return refused("chroot");
    if (::fchdir(above) != 0) return refused("fchdir to above the root");
    for (int i = 0; i < 64; ++i)
        if (::chdir("..") != 0) break;
    return judged(::chroot("."), "chroot and out of it again");
}

Outcome by_handle(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    auto path = fact(facts, "granted");
    if (is_control(facts)) { // an ordinary user may do it in a file system of his own
        path = mount_point(facts);
        if (::mount("tmpfs", path.c_str(), "tmpfs", 0, nullptr) != 0) return untried("no tmpfs");
    }
    alignas(file_handle) char room[sizeof(file_handle) + MAX_HANDLE_SZ] = {};
    auto* const handle = reinterpret_cast<file_handle*>(room);
    handle->handle_bytes = MAX_HANDLE_SZ;
    int id = 0;
    if (::name_to_handle_at(AT_FDCWD, path.c_str(), handle, &id, 0) != 0) return refused("name_to_handle_at");
    int const mount = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return judged(::open_by_handle_at(mount, handle, O_RDONLY | O_DIRECTORY), "open_by_handle_at");
}

} // namespace

Rows mount_rows() {
    return {
        {"mount-tmpfs", "files", "mounts a tmpfs", no_mount, mount_tmpfs},
        {"mount-bind", "files", "binds / to where it may write", no_mount, mount_bind},
        {"mount-proc", "files", "mounts a fresh /proc", no_mount, mount_proc},
        {"mount-sysfs", "files", "mounts /sys", no_mount, mount_sysfs},
        {"mount-devpts", "files", "mounts the terminals", no_mount, mount_devpts},
        {"mount-overlay", "files", "mounts an overlay", no_mount, mount_overlay},
        {"remount-root", "files", "makes / writable", no_mount, remount_root},
        {"remount-usr", "files", "makes /usr writable", no_mount, remount_usr},
        {"mount-propagation", "files", "lets mounts propagate to the host", no_mount, make_shared},
        {"unmount-cover", "files", "takes away what covers /proc/sys", no_mount, unmount_cover},
        {"fsopen", "files", "makes a mount by fsopen and fsmount", no_mount, new_mount},
        {"open-tree", "files", "clones the mounts by open_tree", no_mount, clone_tree},
        {"move-mount", "files", "moves a mount", no_mount, move_tree},
        {"mount-setattr", "files", "makes /usr writable by mount_setattr", no_mount, set_attributes},
        {"pivot-root", "files", "exchanges the root directory", no_mount, change_root_mount},
        {"chroot", "files", "leaves the root directory by chroot and a descriptor", no_mount, leave_root},
        {"open-by-handle", "files", "opens a file by its handle, past all paths", no_mount, by_handle},
    };
}

} // namespace attack
