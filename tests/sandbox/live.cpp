// Whoever waits here polls with a deadline. The slave end of the terminal stays open, so that its modes can be asked for at the end.
#include "sandbox/live.hpp"

#include "support/temp_dir.hpp"

#include <catch2/catch_message.hpp>

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <sstream>
#include <stdexcept>

namespace test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds patience{10};

void moment() {
    ::poll(nullptr, 0, 5);
}

bool is_over(pid_t pid) {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

} // namespace

void become(std::vector<std::string> const& words, unsigned uid) {
    ::close_range(3, ~0U, 0);
    if (::chdir("/") != 0) ::_exit(125);
    if (uid != 0 && (::setgroups(0, nullptr) != 0 || ::setgid(uid) != 0 || ::setuid(uid) != 0)) ::_exit(125);
    std::vector<char*> argv;
    for (auto const& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(125);
}

Live::Live(Stage const& stage, std::vector<std::string> const& words, On on) {
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    if (on == On::terminal) {
        winsize const size{33, 77, 0, 0};
        int master = -1;
        if (::openpty(&master, &slave_, nullptr, nullptr, &size) != 0) throw std::runtime_error("no terminal");
        if (stage.setting().uid != 0 && ::fchown(slave_, stage.setting().uid, stage.setting().uid) != 0)
            throw std::runtime_error("fchown");
        in[0] = out[1] = slave_, in[1] = master, out[0] = ::dup(master);
    } else if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe");
    }
    pid_ = ::fork();
    if (pid_ == 0) {
        if (on == On::terminal && (::setsid() < 0 || ::ioctl(slave_, TIOCSCTTY, 0) != 0)) ::_exit(125);
        ::dup2(in[0], 0), ::dup2(out[1], 1), ::dup2(out[1], 2);
        become(words, stage.setting().uid);
    }
    in_ = in[1], out_ = out[0];
    if (on == On::pipes) ::close(in[0]), ::close(out[1]);
    ::fcntl(out_, F_SETFL, O_NONBLOCK);
}

Live::~Live() {
    if (!ended_) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
    for (int const fd : {in_, out_, slave_})
        if (fd >= 0) ::close(fd);
}

bool Live::hear() {
    pollfd wait{out_, POLLIN, 0};
    if (::poll(&wait, 1, 20) <= 0) return true;
    char buffer[65536];
    auto const got = ::read(out_, buffer, sizeof buffer);
    if (got > 0) heard_.append(buffer, static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EAGAIN);
}

bool Live::says(std::string const& text) {
    for (auto const late = Clock::now() + patience; Clock::now() < late;) {
        if (heard_.find(text) != std::string::npos) return true;
        auto const before = heard_.size();
        bool const over = is_over(pid_);
        if (!hear() || (over && heard_.size() == before)) break;
    }
    UNSCOPED_INFO("it said: " << heard_);
    return heard_.find(text) != std::string::npos;
}

void Live::type(std::string const& keys) const {
    for (std::size_t at = 0; at < keys.size();) {
        auto const written = ::write(in_, keys.data() + at, keys.size() - at);
        if (written < 0 && errno == EAGAIN) {
            moment();
            continue;
        }
        if (written <= 0) return;
        at += static_cast<std::size_t>(written);
    }
}

void Live::close_input() {
    ::close(in_);
    in_ = -1;
}

void Live::resize(unsigned short rows, unsigned short columns) const {
    winsize const size{rows, columns, 0, 0};
    ::ioctl(in_, TIOCSWINSZ, &size); // the kernel tells the foreground group, which is pfar
}

termios Live::modes() const {
    termios modes{};
    ::tcgetattr(slave_, &modes);
    return modes;
}

void Live::signal(int number) const {
    ::kill(pid_, number);
}

bool Live::stops() const {
    for (auto const late = Clock::now() + patience; Clock::now() < late; moment()) {
        int status = 0;
        if (::waitpid(pid_, &status, WUNTRACED | WNOHANG) == pid_) return WIFSTOPPED(status);
    }
    return false;
}

int Live::end() {
    for (auto const late = Clock::now() + patience; Clock::now() < late;) {
        bool const open = hear();
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) == pid_) {
            ended_ = true;
            while (true) {
                auto const before = heard_.size();
                if (!hear() || heard_.size() == before) break;
            }
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        }
        if (!open) moment();
    }
    UNSCOPED_INFO("it goes on; it said: " << heard_);
    return -1;
}

void adopt_orphans() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

bool no_child_is_left() {
    for (auto const late = Clock::now() + std::chrono::seconds(3); Clock::now() < late; moment()) {
        pid_t reaped = 0;
        while ((reaped = ::waitpid(-1, nullptr, WNOHANG)) > 0) {}
        if (reaped < 0 && errno == ECHILD) return true;
    }
    std::istringstream left(read("/proc/self/task/" + std::to_string(::getpid()) + "/children"));
    for (pid_t pid = 0; left >> pid;) {
        auto const process = "/proc/" + std::to_string(pid);
        auto command = read(process + "/cmdline");
        std::replace(command.begin(), command.end(), '\0', ' ');
        UNSCOPED_INFO("left: " << pid << ": " << command << "\n" << read(process + "/status").substr(0, 300));
        ::kill(pid, SIGKILL); // the next check is about the next attempt
    }
    return false;
}

} // namespace test
