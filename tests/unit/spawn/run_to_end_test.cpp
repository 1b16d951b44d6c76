#include "spawn/run_to_end.hpp"
#include "support/temp_dir.hpp"

#include <pfar/shim_wire.hpp>

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

using namespace pfar;
using namespace std::chrono_literals;

namespace {

LaunchPlan plan(std::initializer_list<std::string> argv) {
    LaunchPlan out;
    out.argv = argv;
    return out;
}

} // namespace

TEST_CASE("a launched program has an empty environment and no descriptor that was not meant for it") {
    int const leaked = ::open("/dev/null", O_RDONLY); // not close-on-exec, as libraries do it
    auto const ended = spawn::run_to_end(
        plan({"/bin/sh", "-c", "/usr/bin/env | /bin/grep -v -e PWD -e SHLVL -e ^_; ls /proc/self/fd | tr '\\n' ' '"}),
        10s);
    ::close(leaked);
    REQUIRE(ended);
    CHECK(ended->output == "0 1 2 3 "); // 3 is ls reading the directory
}

TEST_CASE("data arrives at its descriptors, without orders too") {
    auto launch = plan({"/bin/sh", "-c", "cat <&7; cat <&5"});
    launch.data = {{5, "five"}, {7, "seven "}};
    auto const ended = spawn::run_to_end(launch, 10s);
    REQUIRE(ended);
    CHECK(ended->output == "seven five");
}

TEST_CASE("exit codes, signals and the end of the output come back") {
    CHECK(spawn::run_to_end(plan({"/bin/sh", "-c", "exit 7"}), 10s)->status == 7);
    CHECK(spawn::run_to_end(plan({"/bin/sh", "-c", "kill -9 $$"}), 10s)->status == 137);
    auto const flood = spawn::run_to_end(plan({"/bin/sh", "-c", "head -c 1000000 /dev/zero; echo end"}), 10s);
    REQUIRE(flood);
    CHECK(flood->output.size() <= 4096);
    CHECK(flood->output.ends_with("end\n"));
}

TEST_CASE("a program that does not end is ended, with its children") {
    auto const ended = spawn::run_to_end(plan({"/bin/sh", "-c", "sleep 1000 & sleep 1000"}), 200ms);
    REQUIRE_FALSE(ended);
    CHECK(ended.error().code == Errc::timeout);
}

TEST_CASE("a program that closes its output and goes on is ended too") {
    auto const ended = spawn::run_to_end(plan({"/bin/sh", "-c", "exec >&- 2>&-; sleep 1000"}), 200ms);
    REQUIRE_FALSE(ended);
    CHECK(ended.error().code == Errc::timeout);
}

TEST_CASE("where children cannot be waited for, nothing is taken for a success") {
    ::signal(SIGCHLD, SIG_IGN);
    auto const ended = spawn::run_to_end(plan({"/bin/false"}), 10s);
    ::signal(SIGCHLD, SIG_DFL);
    CHECK_FALSE(ended);
}

TEST_CASE("what cannot be started is an error that names it") {
    auto const missing = spawn::run_to_end(plan({"/no/such/program"}), 1s);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == Errc::not_found);
    CHECK_FALSE(spawn::run_to_end(LaunchPlan{}, 1s));
}

TEST_CASE("the shim confines itself to the files it is told, and the same program reads them all without it") {
    test::TempDir const dir;
    auto const secret = dir.write("secret", "the secret");
    auto const control = spawn::run_to_end(plan({"/bin/cat", secret.native()}), 10s);
    REQUIRE(control);
    CHECK(control->output == "the secret");

    LaunchPlan launch;
    launch.argv = {PFAR_BUILD "/libexec/pfar/pfar-shim"};
    launch.orders.emplace();
    launch.orders->command = {"/bin/cat", {secret.native()}, "/", {}};
    for (auto const* const path : {"/usr", "/etc/ld.so.cache"})
        launch.orders->landlock.push_back({path, {.read = true, .execute = true}});
    auto const confined = spawn::run_to_end(launch, 10s);
    REQUIRE(confined);
    if (confined->output.find("switch Landlock on") != std::string::npos) SKIP("this kernel has no Landlock");
    CHECK(confined->ran);
    CHECK(confined->status == 1);
    CHECK(confined->output.find("Permission denied") != std::string::npos);
    CHECK(confined->output.find("the secret") == std::string::npos);

    launch.orders->landlock.push_back({dir.path(), {.read = true}});
    CHECK(spawn::run_to_end(launch, 10s)->output == "the secret");
}

TEST_CASE("a confined program's exit code, signal and output come back as an unconfined one's do") {
    LaunchPlan launch;
    launch.argv = {PFAR_BUILD "/libexec/pfar/pfar-shim"};
    launch.orders.emplace();
    auto const ended = [&](char const* script) {
        launch.orders->command = {"/bin/sh", {"-c", script}, "/", {{"PATH", "/usr/bin:/bin"}}};
        return spawn::run_to_end(launch, 10s);
    };
    CHECK(ended("exit 7")->status == 7);
    CHECK(ended("kill -9 $$")->status == 137);
    CHECK(ended("echo out; echo err >&2")->output == "out\nerr\n");
    auto const flood = ended("head -c 1000000 /dev/zero; echo end");
    CHECK(flood->output.size() <= 4096);
    CHECK(flood->output.ends_with("end\n"));
}

TEST_CASE("a confined program that never ran is told apart from one that failed") {
    LaunchPlan launch;
    launch.argv = {PFAR_BUILD "/libexec/pfar/pfar-shim"};
    launch.orders.emplace();
    launch.orders->command = {"/no/such/program", {}, "/", {}};
    auto const ended = spawn::run_to_end(launch, 10s);
    REQUIRE(ended);
    CHECK_FALSE(ended->ran);
    CHECK(ended->status == shim_failed);
    CHECK(ended->output.find("/no/such/program could not be executed in the sandbox") == 0);
    launch.orders->command = {"/bin/sh", {"-c", "exit 125"}, "/", {}};
    CHECK(spawn::run_to_end(launch, 10s)->ran);
}

TEST_CASE("a confined program that does not end is ended") {
    LaunchPlan launch;
    launch.argv = {PFAR_BUILD "/libexec/pfar/pfar-shim"};
    launch.orders.emplace();
    launch.orders->command = {"/bin/sleep", {"1000"}, "/", {}};
    auto const ended = spawn::run_to_end(launch, 200ms);
    REQUIRE_FALSE(ended);
    CHECK(ended.error().code == Errc::timeout);
}
