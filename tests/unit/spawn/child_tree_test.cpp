// What a child leaves behind (nothing), what it inherits (nothing), and what ends it.
#include "unit/spawn/shim_plan.hpp"

#include "support/temp_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

using namespace pfar;
using spawn::Note;

namespace fs = std::filesystem;

namespace {

/// Says its own pid and that of one that has left its session, and goes on.
constexpr char const* daemonising =
    "setsid sh -c 'echo $$; exec sleep 1000' & read x < /dev/null; echo $$; exec sleep 1000";

struct Tree {
    test::Watch first, second;
};

Tree watched(test::Pipe const& out) {
    auto const one = std::stoi(out.line());
    auto const two = std::stoi(out.line());
    return {test::Watch(one), test::Watch(two)};
}

void check_gone(Tree const& tree) {
    CHECK(tree.first.gone());
    CHECK(tree.second.gone());
    tree.first.kill();
    tree.second.kill();
}

std::ptrdiff_t descriptors() {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
}

bool has_child() {
    return ::waitpid(-1, nullptr, WNOHANG) >= 0;
}

/// Every process whose file of this name has `text` in it.
std::vector<std::string> processes_with(std::string const& text, char const* file) {
    std::vector<std::string> out;
    for (auto const& entry : fs::directory_iterator("/proc")) {
        auto const name = entry.path().filename().native();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        if (test::read(entry.path() / file).find(text) != std::string::npos) out.push_back(name);
    }
    return out;
}

} // namespace

TEST_CASE("whoever drops a child ends all of it, a process that has left its session included") {
    test::Pipe out;
    std::optional<spawn::Child> child =
        spawn::Child::start(test::shell(daemonising), {{-1, out.in.number(), -1}, {}, {}}).value();
    auto const tree = watched(out);
    SECTION("after its notes were read") {
        test::wait_for(*child, Note::Kind::running);
    }
    SECTION("before anything was read") {}
    CHECK(tree.first.alive());
    CHECK(tree.second.alive());
    child.reset();
    check_gone(tree);
}

TEST_CASE("what the server started does not outlive it") {
    test::Pipe out;
    auto child =
        spawn::Child::start(
            test::shell("setsid sh -c 'echo $$; echo $$; exec sleep 1000' & read x < /dev/null; wait $!; exit 9"),
            {{-1, out.in.number(), -1}, {}, {}})
            .value();
    auto const tree = watched(out);
    child.pass(SIGTERM); // to the server's group, which the other one has left
    test::wait_for(child, Note::Kind::ended);
    check_gone(tree);
}

TEST_CASE("a host that is killed takes the whole tree along") {
    test::Pipe out;
    pid_t const host = ::fork();
    if (host == 0) {
        ::alarm(60);
        auto const child = spawn::Child::start(test::shell(daemonising), {{-1, out.in.number(), -1}, {}, {}});
        for (;;) ::pause();
    }
    auto const tree = watched(out);
    ::kill(host, SIGKILL);
    ::waitpid(host, nullptr, 0);
    check_gone(tree);
}

TEST_CASE("no descriptor of the host gets into the launcher or the server") {
    int const leaked = ::open("/dev/null", O_RDONLY); // not close-on-exec, as libraries do it
    int const high = ::fcntl(leaked, F_DUPFD, 200);
    auto const story = test::run(test::shell("ls /proc/self/fd | tr '\\n' ' '"));
    ::close(leaked);
    ::close(high);
    CHECK(story.out == "0 1 2 3 "); // 3 is ls reading the directory
}

TEST_CASE("the shim keeps its socket and what it waits with, and nothing of the server's") {
    int const leaked = ::open("/etc/passwd", O_RDONLY);
    test::Pipe out;
    auto child =
        spawn::Child::start(test::shell("echo ready; exec sleep 1000"), {{-1, out.in.number(), -1}, {}, {}}).value();
    ::close(leaked);
    out.in = base::Fd();
    REQUIRE(out.line() == "ready");
    test::wait_for(child, Note::Kind::running);
    child.pass(SIGTERM);
    CHECK(out.rest().empty()); // the end comes with the server's: nobody else holds the pipe
    CHECK(test::wait_for(child, Note::Kind::ended).kind == Note::Kind::ended);
}

TEST_CASE("the environment is what was ordered and not a word more") {
    ::setenv("PFAR_TEST_OWNER", "secret of the owner", 1);
    auto const story =
        test::run(test::shim_plan({"/usr/bin/env", {}, "/", {{"A", "1"}, {"EMPTY", ""}, {"TWO", "two\nlines"}}}));
    ::unsetenv("PFAR_TEST_OWNER");
    CHECK(story.out == "A=1\nEMPTY=\nTWO=two\nlines\n");
}

TEST_CASE("secrets arrive in the server's environment, and in no other one and no command line") {
    std::string const value = "ntn_" + std::to_string(::getpid()) + "_only_here";
    Secret const token(value);
    test::Pipe out;
    auto plan = test::shell("test \"$TOKEN\" && echo $$; exec sleep 1000");
    auto child = spawn::Child::start(plan, {{-1, out.in.number(), -1}, {.secrets = {{"TOKEN", &token}}}, {}}).value();
    auto const server = out.line();
    test::wait_for(child, Note::Kind::running);
    CHECK(processes_with(value, "cmdline").empty());
    CHECK(processes_with(value, "environ") == std::vector{server}); // the control: it can be found
    CHECK(test::read(fs::path("/proc") / std::to_string(child.first_process()) / "environ").empty());
}

TEST_CASE("a hundred starts leave no zombie and no descriptor behind") {
    test::run(test::shell("true")); // whatever is made once is made
    auto const before = descriptors();
    for (int i = 0; i < 100; ++i) {
        auto child = spawn::Child::start(test::shell(i % 2 == 0 ? "exit 1" : "exec sleep 1000"), {}).value();
        if (i % 4 == 0) test::wait_for(child, Note::Kind::ended);
        if (i % 4 == 1) test::wait_for(child, Note::Kind::running);
        if (i % 4 == 2) child.end();
    }
    CHECK(descriptors() == before);
    CHECK_FALSE(has_child());
}

TEST_CASE("starts that fail leave no zombie and no descriptor behind") {
    auto const before = descriptors();
    auto missing = test::shell("true");
    missing.argv = {"/no/such/launcher"};
    for (int i = 0; i < 20; ++i) {
        CHECK_FALSE(spawn::Child::start(missing, {}));
        CHECK(test::run(test::shim_plan({"/no/such/program", {}, "/", {}})).last.kind == Note::Kind::failed);
    }
    CHECK(descriptors() == before);
    CHECK_FALSE(has_child());
}

TEST_CASE("a child can be moved, and only the last one ends it") {
    test::Pipe out;
    std::optional<spawn::Child> last;
    {
        auto first =
            spawn::Child::start(test::shell("echo $$; exec sleep 1000"), {{-1, out.in.number(), -1}, {}, {}}).value();
        last.emplace(std::move(first));
    }
    test::Watch const server(std::stoi(out.line()));
    test::wait_for(*last, Note::Kind::running);
    CHECK(server.alive());
    last.reset();
    CHECK(server.gone());
}

TEST_CASE("a child of the main thread does not mind threads that come and go") {
    test::Pipe in, out;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([] {});
    auto child = spawn::Child::start(test::shell("cat"), {{in.out.number(), out.in.number(), -1}, {}, {}}).value();
    for (int i = 0; i < 16; ++i) threads.emplace_back([] {});
    for (auto& thread : threads) thread.join();
    in.say("still here\n");
    CHECK(out.line() == "still here");
    in.in = base::Fd();
}

TEST_CASE("what a worker thread launches ends with that thread, which is why only the main thread may") {
    std::optional<spawn::Launched> worker, main;
    auto const sleeper = [] { return spawn::launch({{"/bin/sleep", "1000"}, {}, {}}).value(); };
    main = sleeper();
    std::thread([&] { worker = sleeper(); }).join();
    CHECK(test::Pipe::ready(worker->exit.number()));
    pollfd now{main->exit.number(), POLLIN, 0};
    CHECK(::poll(&now, 1, 0) == 0);
    for (auto const& one : {&*worker, &*main}) {
        ::kill(one->pid, SIGKILL);
        ::waitpid(one->pid, nullptr, 0);
    }
}
