// posix_spawn, because nothing of ours has to run between fork and exec. Descriptors for the child are first moved out of the way
// of the numbers they are to have, so that putting one in its place never closes another.
#include "spawn/run_to_end.hpp"

#include "base/fd.hpp"
#include "base/files.hpp"
#include "spawn/orders.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <vector>

namespace pfar::spawn {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int out_of_the_way = 64;
constexpr std::size_t kept_output = 4096;

struct Placed {
    base::Fd source;
    int number;
};

/// A descriptor from which the child reads `content`.
Result<base::Fd> readable(std::string_view content) {
    base::Fd const memory{::memfd_create("pfar", MFD_CLOEXEC)};
    if (!memory || ::pwrite(memory.number(), content.data(), content.size(), 0) != static_cast<ssize_t>(content.size()))
        return fail(Errc::io, "no memory for the launch: " + base::errno_text(errno));
    base::Fd moved(::fcntl(memory.number(), F_DUPFD_CLOEXEC, out_of_the_way));
    if (!moved) return fail(Errc::io, "no descriptor for the launch: " + base::errno_text(errno));
    return moved;
}

Result<std::vector<Placed>> inherited(LaunchPlan const& plan) {
    std::vector<Placed> out;
    for (auto const& data : plan.data) {
        PFAR_TRY(source, readable(data.content));
        out.push_back({std::move(source), data.fd});
    }
    if (plan.orders) {
        PFAR_TRY(bytes, encode(*plan.orders));
        PFAR_TRY(source, readable(bytes));
        out.push_back({std::move(source), orders_fd});
    }
    return out;
}

struct Actions {
    Actions() { ::posix_spawn_file_actions_init(&list), ::posix_spawnattr_init(&attributes); }
    Actions(Actions const&) = delete;
    Actions& operator=(Actions const&) = delete;
    ~Actions() { ::posix_spawn_file_actions_destroy(&list), ::posix_spawnattr_destroy(&attributes); }

    posix_spawn_file_actions_t list;
    posix_spawnattr_t attributes;
};

/// Libraries open descriptors that are not close-on-exec; none of those goes along.
void close_the_rest(posix_spawn_file_actions_t& list, std::vector<Placed> const& files) {
    int beyond = 3;
    for (auto const& file : files) beyond = std::max(beyond, file.number + 1);
    for (int fd = 3; fd < beyond; ++fd)
        if (std::none_of(files.begin(), files.end(), [&](auto const& file) { return file.number == fd; }))
            ::posix_spawn_file_actions_addclose(&list, fd);
    ::posix_spawn_file_actions_addclosefrom_np(&list, beyond);
}

Result<pid_t> start(LaunchPlan const& plan, int output, std::vector<Placed> const& files) {
    Actions actions;
    ::posix_spawn_file_actions_addopen(&actions.list, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions.list, output, 1);
    ::posix_spawn_file_actions_adddup2(&actions.list, output, 2);
    for (auto const& file : files) ::posix_spawn_file_actions_adddup2(&actions.list, file.source.number(), file.number);
    close_the_rest(actions.list, files);
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&actions.attributes, &none);
    ::posix_spawnattr_setpgroup(&actions.attributes, 0);
    ::posix_spawnattr_setflags(&actions.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);

    std::vector<char*> argv;
    for (auto const& argument : plan.argv) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    char* environment[] = {nullptr};
    pid_t child = 0;
    if (int const error = ::posix_spawn(&child, argv[0], &actions.list, &actions.attributes, argv.data(), environment);
        error != 0)
        return fail(error == ENOENT ? Errc::not_found : Errc::unavailable,
                    fmt::format("{} could not be started: {}", plan.argv[0], base::errno_text(error)));
    return child;
}

/// True when there is something to read, false when time is up.
bool wait_readable(int fd, Clock::time_point deadline) {
    for (;;) {
        auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd wait{fd, POLLIN, 0};
        int const ready = left > 0 ? ::poll(&wait, 1, static_cast<int>(left)) : 0;
        if (ready < 0 && errno == EINTR) continue;
        return ready > 0;
    }
}

/// True when the pipe's other end is closed, false when time is up.
bool drain(int pipe, std::string& output, Clock::time_point deadline) {
    while (wait_readable(pipe, deadline)) {
        char buffer[4096];
        auto const got = ::read(pipe, buffer, sizeof buffer);
        if (got <= 0) return true;
        output.append(buffer, static_cast<std::size_t>(got));
        if (output.size() > kept_output) output.erase(0, output.size() - kept_output);
    }
    return false;
}

} // namespace

Result<Ended> run_to_end(LaunchPlan const& plan, std::chrono::milliseconds patience) {
    if (plan.argv.empty()) return fail(Errc::invalid, "the launch plan is empty");
    auto const deadline = Clock::now() + patience;
    PFAR_TRY(files, inherited(plan));
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(Errc::io, "no pipe: " + base::errno_text(errno));
    base::Fd const ours{ends[0]};
    base::Fd low{ends[1]};
    base::Fd theirs{::fcntl(low.number(), F_DUPFD_CLOEXEC, out_of_the_way)};
    if (!theirs) return fail(Errc::io, "no descriptor for the launch: " + base::errno_text(errno));
    PFAR_TRY(child, start(plan, theirs.number(), files));
    theirs = base::Fd();
    low = base::Fd();

    Ended ended;
    base::Fd const exit{static_cast<int>(::syscall(SYS_pidfd_open, child, 0))};
    bool const in_time = drain(ours.number(), ended.output, deadline) && exit &&
                         wait_readable(exit.number(), deadline); // it may have closed its output long before
    if (!in_time) ::kill(-child, SIGKILL);
    int status = 0;
    pid_t waited = 0;
    while ((waited = ::waitpid(child, &status, 0)) < 0 && errno == EINTR) {}
    if (waited != child)
        return fail(Errc::internal,
                    fmt::format("how {} ended is not known: {}", plan.argv[0], base::errno_text(errno)));
    if (!in_time)
        return fail(Errc::timeout, fmt::format("{} did not end within {} ms", plan.argv[0], patience.count()));
    ended.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return ended;
}

} // namespace pfar::spawn
