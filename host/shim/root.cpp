// The empty root lies on a tmpfs; the old one is at /old while the mounts are made, and detached at the end. Sources are opened
// without following any symbolic link: the host resolved them, and what is a link now was put there since.
#include "shim/root.hpp"

#include "shim/mount_step.hpp"
#include "shim/report.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace pfar::shim {
namespace {

constexpr unsigned long plain = MS_NOSUID | MS_NODEV;

/// Some directory that is there, to mount upon.
char const* any_directory() {
    for (char const* const path : {"/tmp", "/run", "/mnt", "/var", "/usr"}) {
        struct stat status {};
        if (::stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return path;
    }
    return "/";
}

/// The order for the root itself comes first.
void change_root(char const* place, Mount const& root) {
    must(::mount("tmpfs", place, "tmpfs", plain, "mode=755,size=1m") == 0, ShimStage::root, place);
    must(::chdir(place) == 0 && ::mkdir("old", 0755) == 0 && ::mkdir("new", 0755) == 0, ShimStage::root, place);
    must(::syscall(SYS_pivot_root, ".", "old") == 0 && ::chdir("/") == 0, ShimStage::root, "pivot");
    char options[96];
    std::snprintf(options, sizeof options, "mode=%s,size=%llu,nr_inodes=65536", root.writable ? "1777" : "755",
                  static_cast<unsigned long long>(root.size));
    must(::mount("tmpfs", "/new", "tmpfs", plain, options) == 0, ShimStage::root, "/");
}

/// The classic: the new root is put over the old one and the old one, with everything on it, is let go.
void leave_old_root() {
    must(::chdir("/new") == 0 && ::syscall(SYS_pivot_root, ".", ".") == 0, ShimStage::root, "second pivot");
    must(::umount2(".", MNT_DETACH) == 0 && ::chdir("/") == 0, ShimStage::root, "old root");
}

} // namespace

void build_root(Orders const& orders) {
    if (orders.mounts.count == 0) return;
    ::umask(0);
    must(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, ShimStage::root, "private mounts");
    bool const fresh = (orders.flags & shim_flag_new_root) != 0;
    if (fresh) change_root(any_directory(), orders.mounts.items[0]);
    Places const places{::open(fresh ? "/old" : "/", O_PATH | O_DIRECTORY | O_CLOEXEC),
                        ::open(fresh ? "/new" : "/", O_PATH | O_DIRECTORY | O_CLOEXEC), orders.become};
    must(places.sources >= 0 && places.targets >= 0, ShimStage::root, "/");
    for (auto const& mount : orders.mounts) perform(mount, places);
    if (fresh) leave_old_root();
    ::umask(022);
}

void check_witnesses(Orders const& orders) {
    for (auto const& witness : orders.witnesses) {
        struct stat status {};
        must(::stat(witness.path, &status) == 0, ShimStage::mount, witness.path);
        errno = ESTALE;
        must(status.st_dev == witness.device && status.st_ino == witness.inode, ShimStage::mount, witness.path);
    }
}

} // namespace pfar::shim
