// A process group of its own, pipes or a terminal, an environment that must not get inside, and a descriptor that must not either.
#include "stage.hpp"

#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace attack {
namespace {

constexpr int leaked_number = 9, patience_ms = 30000;

struct Stage {
    int input = -1, output = -1, errors = -1; // the attempt's ends
    std::vector<int> watched, kept;           // ours: read, and only held
};

bool terminal_stage(Stage& stage) {
    int const master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[64] = {};
    if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0 || ::ptsname_r(master, name, sizeof name) != 0)
        return false;
    stage.input = stage.output = stage.errors = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    stage.watched = {master};
    return stage.input >= 0;
}

bool pipe_stage(Stage& stage, Performance const& performance) {
    int out[2], err[2];
    if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) return false;
    stage.input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    stage.output = out[1];
    stage.errors = err[1];
    int& flooded = performance.staging == Staging::flood_output ? stage.output : stage.errors;
    (performance.staging == Staging::flood_output ? stage.kept : stage.watched).push_back(out[0]);
    (performance.staging == Staging::flood_errors ? stage.kept : stage.watched).push_back(err[0]);
    if (performance.unbounded) {
        ::close(flooded);
        flooded = ::open("/tmp", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    }
    return true;
}

std::vector<char*> pointers(std::vector<std::string> const& texts) {
    std::vector<char*> out;
    for (auto const& text : texts) out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

[[noreturn]] void enter(Stage const& stage, Performance const& performance) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (performance.staging == Staging::terminal) {
        ::setsid();
        ::ioctl(stage.input, TIOCSCTTY, 0);
    } else {
        ::setpgid(0, 0);
    }
    ::dup2(stage.input, 0);
    ::dup2(stage.output, 1);
    ::dup2(stage.errors, 2);
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC); // but for this one
    if (!performance.leaked.empty()) ::dup2(::open(performance.leaked.c_str(), O_RDONLY), leaked_number);
    for (int const number : {SIGPIPE, SIGCHLD}) ::signal(number, SIG_DFL);
    ::execve(performance.argv[0].c_str(), pointers(performance.argv).data(), pointers(performance.environment).data());
    ::_exit(127);
}

long now_ms() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/// Reads until the process has ended and there is nothing left; false when time is up.
bool watch(Stage const& stage, int pidfd, std::string& text) {
    long const deadline = now_ms() + patience_ms;
    std::vector<pollfd> polled{{pidfd, POLLIN, 0}};
    for (int const fd : stage.watched) polled.push_back({fd, POLLIN, 0});
    for (;;) {
        bool const ended = polled[0].revents != 0;
        if (now_ms() > deadline) return ended;
        if (::poll(polled.data(), polled.size(), ended ? 20 : 200) < 0 && errno != EINTR) return false;
        bool read_some = false;
        for (std::size_t i = 1; i < polled.size(); ++i) {
            char buffer[4096];
            if (polled[i].fd < 0 || polled[i].revents == 0) continue;
            auto const got = ::read(polled[i].fd, buffer, sizeof buffer);
            if (got <= 0) polled[i].fd = -1; // its other end is closed
            if (got > 0) read_some = true, text.append(buffer, static_cast<std::size_t>(got));
            if (text.size() > 65536) text.erase(0, text.size() - 65536);
        }
        if (ended && !read_some) return true;
    }
}

} // namespace

Ending perform(Performance const& performance) {
    Stage stage;
    if (!(performance.staging == Staging::terminal ? terminal_stage(stage) : pipe_stage(stage, performance)))
        return {-1, "no stage"};
    pid_t const child = ::fork();
    if (child == 0) enter(stage, performance);
    for (int const fd : {stage.input, stage.output, stage.errors}) ::close(fd);
    int const pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    Ending ending;
    bool const in_time = watch(stage, pidfd, ending.text);
    if (!in_time) ::kill(-child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (in_time) ending.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    for (auto const* const list : {&stage.watched, &stage.kept})
        for (int const fd : *list) ::close(fd);
    ::close(pidfd);
    return ending;
}

Outcome outlives(Facts const& facts, std::vector<std::string> start, std::vector<std::string> const& environment) {
    for (auto const& argument : {fact(facts, "program"), std::string("try"), std::string("host-killed")})
        start.push_back(argument);
    for (auto const& argument : as_arguments(facts)) start.push_back(argument);
    pid_t const child = ::fork();
    if (child == 0) {
        int const quiet = ::open("/dev/null", O_RDWR);
        for (int const fd : {0, 1, 2}) ::dup2(quiet, fd);
        ::execve(start[0].c_str(), pointers(start).data(), pointers(environment).data());
        ::_exit(127);
    }
    bool const began = beats(facts, 5000);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    sleep_ms(1000);
    bool const alive = beats(facts, 1000);
    stop_beating(facts);
    if (!began) return {Verdict::untried, "ENODATA", "the heart did not begin to beat"};
    return alive ? success("beats on after the host was killed") : refused_as("bounded", "stopped with the host");
}

std::vector<std::string> as_arguments(Facts const& facts) {
    std::vector<std::string> out;
    for (auto const& [key, value] : facts) out.push_back(key + "=" + value);
    return out;
}

} // namespace attack
