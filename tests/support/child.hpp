// A forked child that tries something and says by its exit code how it went.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

namespace test {

/// Exit code, or 1000 + signal.
inline int ended(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Puts a seccomp program on the calling process, for good. 0 or an errno.
inline int filter_self(std::string const& program) {
    sock_fprog const code{static_cast<unsigned short>(program.size() / sizeof(sock_filter)),
                          reinterpret_cast<sock_filter*>(const_cast<char*>(program.data()))};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &code) == 0 ? 0 : errno;
}

/// What `attempt` answers (0 to 255) in a child of its own, or 1000 + the signal that ended it.
template <class Attempt> int in_child(Attempt const& attempt) {
    pid_t const child = ::fork();
    if (child == 0) {
        ::alarm(60);
        ::_exit(attempt());
    }
    return ended(child);
}

/// The same under a seccomp program; 255: it could not be installed.
template <class Attempt> int under(std::string const& program, Attempt const& attempt) {
    return in_child([&] { return filter_self(program) == 0 ? attempt() : 255; });
}

/// 0, or the errno, of a call made without the C library's help.
template <class... Arguments> int raw(long number, Arguments... arguments) {
    return ::syscall(number, arguments...) < 0 ? errno : 0;
}

} // namespace test
