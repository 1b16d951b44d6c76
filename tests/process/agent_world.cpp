#include "process/agent_world.hpp"

#include <catch2/catch_message.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace test {
namespace {

using pfar::control::Request;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds patience{20};

/// Of the built pfar, as control::own_identity has it.
std::string own_greeting() {
    struct stat file {};
    if (::stat(PFAR_PROGRAM, &file) != 0) throw std::runtime_error("no pfar");
    auto version = test::run({{PFAR_PROGRAM, "--version"}, {}, {}, {}}).out.substr(5);
    version.pop_back();
    return fmt::format(R"({{"version":"{}","build":"{}:{}:{}.{:09}","pid":7,"idle":false}})", version, file.st_dev,
                       file.st_ino, file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

ControlWorld::Answer greet(std::string text, Request /*request*/) {
    co_return text;
}

std::shared_ptr<pfar::control::Connection> connection_of(Served const& served) {
    return std::dynamic_pointer_cast<pfar::control::Connection>(served.caller);
}

Pair fds(int first, int second) {
    return {Fd(first), Fd(second)};
}

} // namespace

AgentHost::AgentHost(Said said, pfar::control::Methods methods) {
    auto const greeting = own_greeting();
    methods.emplace("hello", [greeting](Request request) { return greet(greeting, std::move(request)); });
    methods.emplace("serve", [this](Request request) { return serve(std::move(request)); });
    for (auto& [method, text] : said) {
        std::replace(text.begin(), text.end(), '\n', ' '); // an answer is a line
        methods.emplace(method, [this, text = text](Request request) { return say(text, std::move(request)); });
    }
    world_.start(std::move(methods));
}

AgentHost::Answer AgentHost::say(std::string text, Request request) {
    std::lock_guard const lock(mutex_);
    asked_.push_back(request.method + " " + request.params);
    if (request.method == "serve_http") served_.push_back({request.params, {}, {}, request.caller});
    changed_.notify_all();
    co_return text;
}

AgentHost::Answer AgentHost::serve(Request request) {
    if (request.params.find("unknown") != std::string::npos)
        co_return pfar::fail(pfar::Errc::not_found, "there is no server \"unknown\"; pfar list shows all");
    if (request.descriptors.size() != 2) co_return pfar::fail(pfar::Errc::invalid, "not two descriptors");
    std::lock_guard const lock(mutex_);
    served_.push_back(
        {request.params, std::move(request.descriptors[0]), std::move(request.descriptors[1]), request.caller});
    changed_.notify_all();
    co_return std::string(R"({"session":"s1"})");
}

Served AgentHost::served() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, patience, [&] { return !served_.empty(); })) throw std::runtime_error("nobody serves");
    auto out = std::move(served_.front());
    served_.erase(served_.begin());
    return out;
}

std::vector<std::string> AgentHost::asked() {
    std::lock_guard const lock(mutex_);
    return asked_;
}

void AgentHost::tell(Served const& served, std::string_view method, std::string params) {
    world_.on_thread([&] { (void)served.caller->tell(method, params); });
}

void AgentHost::hang_up(Served const& served) {
    world_.on_thread([&] { connection_of(served)->close(); });
}

Outcome AgentHost::pfar(std::vector<std::string> words, std::string input,
                        std::map<std::string, std::string> environment) const {
    words.insert(words.begin(), {"setsid", "--wait", PFAR_PROGRAM});
    environment.insert({{"PFAR_HOME", home().native()}, {"NO_COLOR", "1"}, {"PFAR_LOG", ""}});
    return test::run({std::move(words), std::move(environment), "/", std::move(input)});
}

Pair pipe_pair() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    return fds(ends[0], ends[1]);
}

Pair socket_pair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("no sockets");
    return fds(ends[0], ends[1]);
}

Pair terminal_pair() {
    int master = -1, slave = -1;
    winsize const size{33, 77, 0, 0};
    if (::openpty(&master, &slave, nullptr, nullptr, &size) != 0) throw std::runtime_error("no terminal");
    ::fcntl(master, F_SETFD, FD_CLOEXEC), ::fcntl(slave, F_SETFD, FD_CLOEXEC);
    return fds(master, slave);
}

AgentChild::AgentChild(std::filesystem::path const& home, std::vector<std::string> words, Streams const& streams) {
    words.insert(words.begin(), PFAR_PROGRAM);
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    auto const err = (files_ / "err").native();
    auto environment = streams.environment;
    environment.insert({{"PFAR_HOME", home.native()}, {"NO_COLOR", "1"}, {"PFAR_LOG", ""}, {"TERM", "xterm"}});
    for (auto const& [name, value] : environment)
        ::setenv(name.c_str(), value.c_str(), 1); // before the fork: there are threads
    int const nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    int const to_file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    pid_ = ::fork();
    if (pid_ == 0) {
        ::setsid();
        if (streams.terminal >= 0) ::ioctl(streams.terminal, TIOCSCTTY, 0);
        int const from[] = {streams.in < 0 ? nothing : streams.in, streams.out < 0 ? nothing : streams.out,
                            streams.err < 0 ? to_file : streams.err};
        for (int fd = 0; fd < 3; ++fd) ::dup2(from[fd], fd);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    for (auto const& [name, value] : environment) ::unsetenv(name.c_str());
    ::close(nothing), ::close(to_file);
}

AgentChild::~AgentChild() {
    if (!ended_) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
}

int AgentChild::end() {
    for (auto const late = Clock::now() + patience; Clock::now() < late; ::poll(nullptr, 0, 5)) {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) != pid_) continue;
        ended_ = true;
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    UNSCOPED_INFO("it goes on; it said: " << err());
    return -1;
}

std::string AgentChild::err() const {
    return read(files_ / "err");
}

std::string read_until(Fd const& fd, std::string const& text) {
    std::string out;
    for (auto const late = Clock::now() + patience; Clock::now() < late && out.find(text) == std::string::npos;) {
        pollfd wait{fd.number(), POLLIN, 0};
        if (::poll(&wait, 1, 100) <= 0) continue;
        char part[4096];
        auto const got = ::read(fd.number(), part, sizeof part);
        if (got <= 0 && !(got < 0 && (errno == EAGAIN || errno == EINTR))) break;
        if (got > 0) out.append(part, static_cast<std::size_t>(got));
    }
    UNSCOPED_INFO("read: " << out.substr(0, 3000));
    return out;
}

void write_to(Fd const& fd, std::string_view text) {
    while (!text.empty()) {
        auto const put = ::write(fd.number(), text.data(), text.size());
        if (put < 0 && errno == EAGAIN) {
            ::poll(nullptr, 0, 1);
            continue;
        }
        if (put <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(put));
    }
}

} // namespace test
