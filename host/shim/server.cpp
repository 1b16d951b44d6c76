// The shim is the session's leader and the server leads a process group in it, so that job control works on a terminal. Where the shim is
// process 1, its end is everybody's end; elsewhere it adopts orphans and kills what is left.
#include "shim/server.hpp"

#include "shim/report.hpp"
#include "shim/socket_memory.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace pfar::shim {
namespace {

struct Trouble {
    ShimStage stage;
    int error;
};

[[noreturn]] void fail_to(int pipe, ShimStage stage) {
    Trouble const trouble{stage, errno};
    [[maybe_unused]] auto const written = ::write(pipe, &trouble, sizeof trouble);
    ::_exit(shim_failed);
}

/// EAGAIN: as many processes as the uid may have. Those of a sandbox that was killed a moment ago still count; so for a second it is tried
/// again. False: long enough.
bool wait_a_moment() {
    static int moments = 100;
    timespec const moment{0, 10'000'000};
    return moments-- > 0 && (::nanosleep(&moment, nullptr), errno = EAGAIN, true);
}

[[noreturn]] void become_server(Orders const& orders, Stdio const& stdio, int pipe) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    ::setpgid(0, 0);
    if ((orders.flags & shim_flag_terminal) != 0 && ::tcsetpgrp(stdio.fds[0], ::getpid()) != 0)
        fail_to(pipe, ShimStage::terminal);
    for (int fd = 0; fd < 3; ++fd)
        if (stdio.fds[fd] >= 0 && ::dup2(stdio.fds[fd], fd) < 0) fail_to(pipe, ShimStage::program);
    if (orders.directory != nullptr && ::chdir(orders.directory) != 0) fail_to(pipe, ShimStage::directory);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) fail_to(pipe, ShimStage::program);
    do ::execve(orders.program, orders.arguments, orders.variables);
    while (errno == EAGAIN && wait_a_moment());
    fail_to(pipe, ShimStage::program);
}

pid_t start(Orders const& orders, Stdio const& stdio) {
    int ends[2];
    must(::pipe2(ends, O_CLOEXEC) == 0, ShimStage::fork);
    pid_t server = -1;
    do server = ::fork();
    while (server < 0 && errno == EAGAIN && wait_a_moment());
    must(server >= 0, ShimStage::fork);
    if (server == 0) become_server(orders, stdio, ends[1]);
    ::close(ends[1]);
    Trouble trouble{};
    ssize_t got = 0;
    while ((got = ::read(ends[0], &trouble, sizeof trouble)) < 0 && errno == EINTR) {}
    if (got == static_cast<ssize_t>(sizeof trouble)) {
        errno = trouble.error;
        give_up(trouble.stage, trouble.stage == ShimStage::directory ? orders.directory : orders.program);
    }
    ::close(ends[0]);
    tell(ShimNoteKind::running, 0);
    return server;
}

/// Only where there is no pid namespace that would do it.
void kill_children() {
    while (::waitpid(-1, nullptr, WNOHANG) >= 0) {
        std::FILE* const list = std::fopen("/proc/thread-self/children", "re");
        if (list == nullptr) return;
        for (int child = 0; std::fscanf(list, "%d", &child) == 1;) ::kill(child, SIGKILL);
        std::fclose(list);
        ::usleep(1000);
    }
}

[[noreturn]] void end() {
    if (::getpid() != 1) kill_children();
    ::_exit(0);
}

void hear_host(pid_t server, int monitor) {
    unsigned char signals[16];
    auto const got = ::read(orders_fd, signals, sizeof signals);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) end(); // the host is gone
    for (ssize_t i = 0; i < got; ++i)
        if (signals[i] == shim_asks_sockets)
            tell(ShimNoteKind::sockets, static_cast<std::int32_t>(socket_memory(monitor) >> 10U));
        else if (signals[i] == shim_freezes || signals[i] == shim_thaws)
            ::kill(::getpid() == 1 ? -1 : -server, signals[i] == shim_freezes ? SIGSTOP : SIGCONT);
        else if (signals[i] > 0 && signals[i] < NSIG)
            ::kill(-server, signals[i]);
}

void reap(pid_t server) {
    int status = 0;
    for (pid_t child = 0; (child = ::waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
        if (child != server) continue;
        if (WIFSTOPPED(status)) {
            tell(ShimNoteKind::stopped, WSTOPSIG(status));
        } else {
            tell(ShimNoteKind::ended, status);
            end();
        }
    }
}

void lead_session(Orders const& orders, Stdio const& stdio) {
    ::setsid(); // fails only if it leads one already
    if ((orders.flags & shim_flag_terminal) != 0) must(::ioctl(stdio.fds[0], TIOCSCTTY, 0) == 0, ShimStage::terminal);
}

int watch_children() {
    sigset_t watched;
    sigfillset(&watched); // nothing interrupts; a terminal's signals are the server's
    must(::sigprocmask(SIG_SETMASK, &watched, nullptr) == 0, ShimStage::fork);
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    int const signals = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
    must(signals >= 0, ShimStage::fork);
    return signals;
}

} // namespace

void run_server(Orders& orders, Stdio const& stdio, int monitor) {
    if (::getpid() != 1) ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    lead_session(orders, stdio);
    int const signals = watch_children();
    pollfd host{orders_fd, POLLIN, 0};
    if (::poll(&host, 1, 0) > 0 && (host.revents & POLLHUP) != 0) end(); // gone while all this was made
    pid_t const server = start(orders, stdio);
    ::explicit_bzero(orders.bytes, orders.size); // the server has its copy
    for (int const fd : {0, 1, 2, stdio.fds[0], stdio.fds[1], stdio.fds[2]})
        if (fd >= 0) ::close(fd);
    for (;;) {
        pollfd wait[] = {{orders_fd, POLLIN, 0}, {signals, POLLIN, 0}};
        if (::poll(wait, 2, -1) < 0 && errno != EINTR) end();
        signalfd_siginfo seen;
        while (::read(signals, &seen, sizeof seen) > 0) {}
        reap(server);
        if (wait[0].revents != 0) hear_host(server, monitor);
    }
}

} // namespace pfar::shim
