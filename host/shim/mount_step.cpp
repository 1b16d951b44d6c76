// Targets are made as needed and opened one component at a time without following links, so that nothing planted in a granted
// directory can lead a mount elsewhere.
#include "shim/mount_step.hpp"

#include "shim/idmap.hpp"
#include "shim/mount_calls.hpp"
#include "shim/report.hpp"

#include <pfar/launch_plan.hpp>

#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace pfar::shim {
namespace {

using Kind = MountOrder::Kind;

/// `path` below `root`, as a place only. -1 with errno.
int open_below(int root, char const* path) {
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return static_cast<int>(::syscall(SYS_openat2, root, path, &how, sizeof how));
}

/// The directory that `path` lies in, made if it is not there, and the path's last name. Links are not followed.
int parent_of(int root, char const* path, char const*& name) {
    int at = ::fcntl(root, F_DUPFD_CLOEXEC, 3);
    name = path + 1;
    for (char const* slash = std::strchr(name, '/'); slash != nullptr; slash = std::strchr(name, '/')) {
        char part[256];
        auto const length = static_cast<std::size_t>(slash - name);
        must(length < sizeof part, ShimStage::mount, path);
        std::memcpy(part, name, length);
        part[length] = 0;
        ::mkdirat(at, part, 0755); // it may be there
        int const next = ::openat(at, part, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
        must(next >= 0, ShimStage::mount, path);
        ::close(at);
        at = next;
        name = slash + 1;
    }
    return at;
}

int target_of(Mount const& mount, Places const& places, bool directory) {
    char const* name = nullptr;
    int const parent = parent_of(places.targets, mount.target, name);
    if (directory)
        ::mkdirat(parent, name, 0755);
    else if (int const file = ::openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444); file >= 0)
        ::close(file);
    ::close(parent);
    int const target = open_below(places.targets, mount.target);
    must(target >= 0, ShimStage::mount, mount.target);
    return target;
}

bool is_directory(int at) {
    struct stat status {};
    return ::fstat(at, &status) == 0 && S_ISDIR(status.st_mode);
}

/// What everybody may read can do without, if it is not to be written.
void show_owner(int tree, int source, Mount const& mount, Places const& places) {
    if (map_owner(tree, places.targets, mount.owner, places.shown_as)) return;
    int const error = errno;
    struct stat status {};
    constexpr mode_t readable = S_IROTH, enterable = S_IROTH | S_IXOTH;
    bool const open_to_all =
        ::fstat(source, &status) == 0 && !mount.writable &&
        (S_ISDIR(status.st_mode) ? (status.st_mode & enterable) == enterable : (status.st_mode & readable) != 0);
    errno = error;
    must(open_to_all && error == EINVAL, ShimStage::mount, mount.rest);
}

void bind(Mount const& mount, Places const& places, bool device) {
    int const source = open_below(places.sources, mount.rest);
    must(source >= 0, ShimStage::mount, mount.rest);
    int const tree = copy_tree(source);
    must(tree >= 0, ShimStage::mount, mount.rest);
    MountAttributes attributes{};
    attributes.set = mount_no_suid | (device ? mount_no_exec : mount_no_dev) | (mount.writable ? 0 : mount_read_only);
    must(change_mount(tree, attributes, AT_RECURSIVE), ShimStage::mount, mount.rest);
    if (mount.owner.given) show_owner(tree, source, mount, places);
    int const target = target_of(mount, places, is_directory(source));
    must(attach(tree, target), ShimStage::mount, mount.target);
    ::close(target), ::close(tree), ::close(source);
}

/// From within: the old call takes no descriptor.
void mount_at(int target, Mount const& mount, char const* type, unsigned long flags, char const* options) {
    must(::fchdir(target) == 0 && ::mount(type, ".", type, flags, options) == 0 && ::chdir("/") == 0, ShimStage::mount,
         mount.target);
    ::close(target);
}

void make_tmpfs(Mount const& mount, Places const& places) {
    if (std::strcmp(mount.target, "/") == 0) return; // it is there: everything else stands on it
    char options[96];
    unsigned long long const inodes = mount.size / 4096 + 1024;
    std::snprintf(options, sizeof options, "mode=%s,size=%llu,nr_inodes=%llu", mount.writable ? "1777" : "755",
                  static_cast<unsigned long long>(mount.size), inodes);
    mount_at(target_of(mount, places, true), mount, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

void seal(Mount const& mount, Places const& places) {
    int const at = open_below(places.targets, mount.target);
    MountAttributes attributes{};
    attributes.set = mount_read_only;
    must(at >= 0 && change_mount(at, attributes, 0), ShimStage::mount, mount.target);
    ::close(at);
}

void mount_proc(Mount const& mount, Places const& places) {
    mount_at(target_of(mount, places, true), mount, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
    char path[4096];
    std::snprintf(path, sizeof path, "%s/sys", mount.target);
    int const sys = open_below(places.targets, path);
    int const tree = sys >= 0 ? copy_tree(sys) : -1;
    MountAttributes attributes{};
    attributes.set = mount_read_only | mount_no_suid | mount_no_dev | mount_no_exec;
    must(tree >= 0 && change_mount(tree, attributes, AT_RECURSIVE) && attach(tree, sys), ShimStage::mount, path);
    ::close(tree), ::close(sys);
}

void make_file(Mount const& mount, Places const& places) {
    char const* name = nullptr;
    int const parent = parent_of(places.targets, mount.target, name);
    int const file = ::openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
    must(file >= 0 && ::write(file, mount.rest, mount.rest_size) == static_cast<ssize_t>(mount.rest_size),
         ShimStage::mount, mount.target);
    ::close(file), ::close(parent);
}

void make_link(Mount const& mount, Places const& places) {
    char const* name = nullptr;
    int const parent = parent_of(places.targets, mount.target, name);
    must(::symlinkat(mount.rest, parent, name) == 0, ShimStage::mount, mount.target);
    ::close(parent);
}

} // namespace

void perform(Mount const& mount, Places const& places) {
    switch (static_cast<Kind>(mount.kind)) {
    case Kind::bind:
        return bind(mount, places, false);
    case Kind::device:
        return bind(mount, places, true);
    case Kind::tmpfs:
        return make_tmpfs(mount, places);
    case Kind::proc:
        return mount_proc(mount, places);
    case Kind::devpts:
        return mount_at(target_of(mount, places, true), mount, "devpts", MS_NOSUID | MS_NOEXEC,
                        "newinstance,ptmxmode=0666,mode=620");
    case Kind::file:
        return make_file(mount, places);
    case Kind::link:
        return make_link(mount, places);
    case Kind::directory:
        ::close(target_of(mount, places, true));
        return;
    case Kind::seal:
        return seal(mount, places);
    }
    errno = ENOSYS;
    give_up(ShimStage::mount, mount.target);
}

} // namespace pfar::shim
