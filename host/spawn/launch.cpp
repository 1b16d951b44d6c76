// Between fork and exec there are system calls only. Everything they need, argv included, is made before.
#include "spawn/launch.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace pfar::spawn {
namespace {

struct Beginner {
    Launch const& launch;
    char* const* argv;
    char* const* environment;
    pid_t parent;
    int trouble;
};

[[noreturn]] void become(Beginner const& beginner) {
    auto const& launch = beginner.launch;
    ::setpgid(0, 0);
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &action, nullptr);
    if (launch.dies_with_us) ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (::getppid() != beginner.parent) ::_exit(127); // it ended before that was in force
    bool ok = ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
    for (int const entrance : launch.entrances) ok = ok && ::write(entrance, "0", 1) == 1;
    for (auto const& file : launch.files) ok = ok && ::dup2(file.source.number(), file.number) >= 0;
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (ok) ::execve(beginner.argv[0], beginner.argv, beginner.environment);
    int const error = errno;
    [[maybe_unused]] auto const written = ::write(beginner.trouble, &error, sizeof error);
    ::_exit(127);
}

int become_of(void* beginner) {
    become(*static_cast<Beginner const*>(beginner));
}

std::vector<char*> with_null(std::vector<std::string> const& texts) {
    std::vector<char*> out;
    for (auto const& text : texts) out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

/// As posix_spawn does it: the child borrows our memory until it executes, and this thread waits; copying a large host's page tables would
/// take a millisecond. It runs on a stack of its own. The sanitizers want a plain fork.
pid_t begin(Beginner const& beginner) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    pid_t const child = ::fork();
    if (child == 0) become_of(const_cast<Beginner*>(&beginner));
    return child;
#else
    alignas(16) std::array<char, 32U << 10U> stack;
    return ::clone(become_of, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD,
                   const_cast<Beginner*>(&beginner));
#endif
}

/// The new process's errno, or 0 if it has been executed.
int wait_for_exec(int trouble) {
    int error = 0;
    ssize_t got = 0;
    while ((got = ::read(trouble, &error, sizeof error)) < 0 && errno == EINTR) {}
    return got == static_cast<ssize_t>(sizeof error) ? error : 0;
}

/// No handler of ours may run in the child.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    SignalsBlocked(SignalsBlocked const&) = delete;
    SignalsBlocked& operator=(SignalsBlocked const&) = delete;
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

} // namespace

Result<base::Fd> out_of_the_way(int fd) {
    if (fd < 0) return base::Fd();
    base::Fd moved(::fcntl(fd, F_DUPFD_CLOEXEC, first_free));
    if (!moved) return fail(Errc::io, "no descriptor for the launch: " + base::errno_text(errno));
    return moved;
}

Result<base::Fd> readable(std::string_view content) {
    base::Fd const memory{::memfd_create("pfar", MFD_CLOEXEC)};
    if (!memory || ::pwrite(memory.number(), content.data(), content.size(), 0) != static_cast<ssize_t>(content.size()))
        return fail(Errc::io, "no memory for the launch: " + base::errno_text(errno));
    return out_of_the_way(memory.number());
}

Result<Launched> launch(Launch const& launch) {
    if (launch.argv.empty()) return fail(Errc::invalid, "the launch plan is empty");
    auto const argv = with_null(launch.argv), environment = with_null(launch.environment);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(Errc::io, "no pipe: " + base::errno_text(errno));
    base::Fd const trouble{ends[0]};
    base::Fd low{ends[1]};
    PFAR_TRY(theirs, out_of_the_way(low.number()));
    low = base::Fd();

    pid_t const parent = ::getpid();
    pid_t child = 0;
    {
        SignalsBlocked const blocked;
        Beginner const beginner{launch, argv.data(), environment.data(), parent, theirs.number()};
        child = begin(beginner);
    }
    if (child < 0) return fail(Errc::unavailable, "no further process can be started: " + base::errno_text(errno));
    theirs = base::Fd();
    base::Fd exit{static_cast<int>(::syscall(SYS_pidfd_open, child, 0))};
    int const error = wait_for_exec(trouble.number());
    if (error == 0 && exit) return Launched{child, std::move(exit)};
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return fail(error == ENOENT ? Errc::not_found : Errc::unavailable,
                fmt::format("{} could not be started: {}", base::printable(launch.argv[0]), base::errno_text(error)));
}

} // namespace pfar::spawn
