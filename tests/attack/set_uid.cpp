// Set-uid files: using the system's, and making one in the granted directory, where it would outlast the sandbox and belong to the
// owner (on a root host: to root). Every call that can give a mode is tried by itself.
#include "attack.hpp"

#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

namespace attack {
namespace {

constexpr mode_t set_uid_mode = 06755;
constexpr char no_mode[] = "EPERM,EACCES,ENOSYS";

std::string child_path(Facts const& facts) {
    return fact(facts, "granted") + "/planted";
}

bool is_set_uid(Facts const& facts) {
    struct stat about {};
    bool const there = ::stat(child_path(facts).c_str(), &about) == 0;
    ::unlink(child_path(facts).c_str());
    return there && (about.st_mode & (S_ISUID | S_ISGID)) != 0;
}

/// Makes the file, lets `change` give it the mode.
template <class Change> Outcome with_file(Facts const& facts, Change change) {
    ::umask(0);
    auto const path = child_path(facts);
    ::unlink(path.c_str());
    int const fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0755);
    if (fd < 0) return untried("no file in the granted directory");
    auto outcome = judged(change(fd, path.c_str()), "a privileged file in the granted directory");
    ::close(fd);
    return outcome;
}

Outcome by_chmod(Facts const& facts) {
    return with_file(facts, [](int, char const* path) { return ::syscall(SYS_chmod, path, set_uid_mode); });
}

Outcome by_fchmod(Facts const& facts) {
    return with_file(facts, [](int fd, char const*) { return ::syscall(SYS_fchmod, fd, set_uid_mode); });
}

Outcome by_fchmodat(Facts const& facts) {
    return with_file(facts,
                     [](int, char const* path) { return ::syscall(SYS_fchmodat, AT_FDCWD, path, set_uid_mode); });
}

Outcome by_fchmodat2(Facts const& facts) {
    return with_file(facts,
                     [](int, char const* path) { return ::syscall(SYS_fchmodat2, AT_FDCWD, path, set_uid_mode, 0); });
}

template <class Create> Outcome created(Facts const& facts, Create create) {
    ::umask(0);
    auto const path = child_path(facts);
    ::unlink(path.c_str());
    return judged(create(path.c_str()), "a set-uid file created in the granted directory");
}

Outcome by_open(Facts const& facts) {
    return created(facts, [](char const* path) { return ::syscall(SYS_open, path, O_CREAT | O_WRONLY, set_uid_mode); });
}

Outcome by_openat(Facts const& facts) {
    return created(facts, [](char const* path) {
        return ::syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY, set_uid_mode);
    });
}

Outcome by_openat2(Facts const& facts) {
    return created(facts, [](char const* path) {
        open_how how{};
        how.flags = O_CREAT | O_WRONLY;
        how.mode = set_uid_mode;
        return ::syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    });
}

/// Without a name at first, and without O_CREAT.
Outcome by_nameless(Facts const& facts) {
    return created(facts, [&](char const* path) {
        long const fd =
            ::syscall(SYS_openat, AT_FDCWD, fact(facts, "granted").c_str(), O_TMPFILE | O_WRONLY, set_uid_mode);
        if (fd < 0) return fd;
        return static_cast<long>(
            ::linkat(AT_FDCWD, ("/proc/self/fd/" + std::to_string(fd)).c_str(), AT_FDCWD, path, AT_SYMLINK_FOLLOW));
    });
}

Outcome by_creat(Facts const& facts) {
    return created(facts, [](char const* path) { return ::syscall(SYS_creat, path, set_uid_mode); });
}

Outcome by_mknod(Facts const& facts) {
    return created(facts, [](char const* path) { return ::syscall(SYS_mknod, path, S_IFREG | set_uid_mode, 0); });
}

Outcome by_mknodat(Facts const& facts) {
    return created(facts,
                   [](char const* path) { return ::syscall(SYS_mknodat, AT_FDCWD, path, S_IFREG | set_uid_mode, 0); });
}

Outcome file_capability(Facts const& facts) {
    if (!own_namespaces(facts, 0)) return untried("no user namespace");
    vfs_cap_data data{};
    data.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
    data.data[0].permitted = 1U << CAP_NET_RAW;
    auto outcome = with_file(
        facts, [&](int fd, char const*) { return ::fsetxattr(fd, "security.capability", &data, sizeof data, 0); });
    ::unlink(child_path(facts).c_str());
    return outcome;
}

/// The second number of the line "Uid:" (the effective one), once the process runs under `name`; -1 if it never did.
long effective_uid(pid_t pid, char const* name) {
    for (int i = 0; i < 200; ++i, sleep_ms(5)) {
        auto const status = slurp("/proc/" + std::to_string(pid) + "/status");
        auto const uid = status.find("\nUid:\t");
        if (uid == std::string::npos) return -1;
        if (status.rfind(std::string("Name:\t") + name + "\n", 0) != 0) continue;
        return std::strtol(status.c_str() + status.find('\t', uid + 6), nullptr, 10);
    }
    return -1;
}

/// su waits for a password, so there is time to look at it. Root becomes nobody first: for root it would change nothing.
Outcome runs_set_uid(Facts const&) {
    if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) return untried("cannot become nobody");
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return untried("no pipe");
    pid_t const child = ::fork();
    if (child == 0) {
        ::dup2(ends[0], 0);
        int const quiet = ::open("/dev/null", O_WRONLY);
        ::dup2(quiet, 1);
        ::dup2(quiet, 2);
        ::execl("/usr/bin/su", "su", nullptr);
        ::_exit(errno);
    }
    long const uid = effective_uid(child, "su");
    ::kill(child, SIGKILL); // may be refused: then closing its input ends it
    ::close(ends[0]);
    ::close(ends[1]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (uid == 0 && ::geteuid() != 0) return success("su ran with the rights of root");
    if (uid >= 0) return refused_as("EPERM", "su ran without the rights of root");
    errno = WIFEXITED(status) && WEXITSTATUS(status) != 1 ? WEXITSTATUS(status) : EPERM;
    return refused("exec of su");
}

} // namespace

Rows set_uid_rows() {
    return {
        {"set-uid-run", "files", "runs a set-uid program of the system", "EPERM,EACCES,ENOENT", runs_set_uid},
        {"set-uid-chmod", "files", "makes a set-uid file in the granted directory by chmod", no_mode, by_chmod,
         is_set_uid},
        {"set-uid-fchmod", "files", "the same by fchmod", no_mode, by_fchmod, is_set_uid},
        {"set-uid-fchmodat", "files", "the same by fchmodat", no_mode, by_fchmodat, is_set_uid},
        {"set-uid-fchmodat2", "files", "the same by fchmodat2", no_mode, by_fchmodat2, is_set_uid},
        {"set-uid-open", "files", "creates a set-uid file in the granted directory by open", no_mode, by_open,
         is_set_uid},
        {"set-uid-openat", "files", "the same by openat", no_mode, by_openat, is_set_uid},
        {"set-uid-openat2", "files", "the same by openat2, whose mode a filter cannot see", no_mode, by_openat2,
         is_set_uid},
        {"set-uid-nameless", "files", "the same by openat without a name, then linkat", no_mode, by_nameless,
         is_set_uid},
        {"set-uid-creat", "files", "the same by creat", no_mode, by_creat, is_set_uid},
        {"set-uid-mknod", "files", "the same by mknod", no_mode, by_mknod, is_set_uid},
        {"set-uid-mknodat", "files", "the same by mknodat", no_mode, by_mknodat, is_set_uid},
        {"file-capability", "files", "gives a file in the granted directory capabilities", "EPERM,EACCES,EOPNOTSUPP",
         file_capability},
    };
}

} // namespace attack
