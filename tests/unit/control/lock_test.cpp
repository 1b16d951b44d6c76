#include "control/lock.hpp"

#include "support/child.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

#include <array>

using namespace pfar;
using control::HostLock;
using control::RunDirectory;
using test::has;

namespace {

control::Identity const me{"1.2.3", "1:2:3"};

} // namespace

TEST_CASE("a lock is held once, and whoever looks sees by whom") {
    test::TempDir const home;
    auto const run = RunDirectory::open(home.path());
    REQUIRE(run);
    CHECK_FALSE(control::holder(*run));
    {
        auto const lock = HostLock::take(*run, me);
        REQUIRE(lock);
        CHECK(test::read(home / "run/host.lock") == std::to_string(::getpid()) + "\n1.2.3\n1:2:3\n");
        auto const holder = control::holder(*run);
        REQUIRE(holder);
        CHECK(holder->pid == ::getpid());
        CHECK(holder->identity == me);
        auto const second = HostLock::take(*run, me);
        REQUIRE_FALSE(second);
        CHECK(second.error().code == Errc::conflict);
        CHECK(has(second.error().what, "pid " + std::to_string(::getpid())));
        CHECK_FALSE(control::wait_until_free(*run, std::chrono::milliseconds(20)));
    }
    CHECK_FALSE(control::holder(*run));
    CHECK(control::wait_until_free(*run, std::chrono::milliseconds(0)));
    CHECK(std::filesystem::exists(home / "run/host.lock"));
}

TEST_CASE("what a lock file said before is nobody's and is overwritten") {
    test::TempDir const home;
    home.write("run/host.lock", std::string(5000, 'x') + "\n\x1b[31m\n99\n");
    auto const run = RunDirectory::open(home.path());
    REQUIRE(run);
    CHECK_FALSE(control::holder(*run));
    CHECK(HostLock::take(*run, me));
    CHECK(test::read(home / "run/host.lock") == std::to_string(::getpid()) + "\n1.2.3\n1:2:3\n");
}

TEST_CASE("a holder that is killed lets go") {
    test::TempDir const home;
    auto const run = RunDirectory::open(home.path());
    REQUIRE(run);
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    auto const child = ::fork();
    if (child == 0) {
        auto const lock = HostLock::take(*run, me);
        (void)!::write(ends[1], lock ? "y" : "n", 1);
        ::pause();
        ::_exit(0);
    }
    char said = 0;
    REQUIRE(::read(ends[0], &said, 1) == 1);
    CHECK(said == 'y');
    auto const holder = control::holder(*run);
    REQUIRE(holder);
    CHECK(holder->pid == child);
    ::kill(child, SIGKILL);
    CHECK(test::ended(child) == 1000 + SIGKILL);
    CHECK(HostLock::take(*run, me));
    ::close(ends[0]), ::close(ends[1]);
}

TEST_CASE("those who only look do not keep a host from its lock") {
    test::TempDir const home;
    auto const run = RunDirectory::open(home.path());
    REQUIRE(run);
    auto const child = ::fork();
    if (child == 0) {
        for (;;) (void)control::holder(*run);
    }
    for (int i = 0; i < 50; ++i) CHECK(HostLock::take(*run, me));
    ::kill(child, SIGKILL);
    test::ended(child);
}

TEST_CASE("what is in a lock's place is told") {
    test::TempDir const home;
    std::filesystem::create_directories(home / "run/host.lock");
    auto const run = RunDirectory::open(home.path());
    REQUIRE(run);
    auto const lock = HostLock::take(*run, me);
    REQUIRE_FALSE(lock);
    CHECK(has(lock.error().what, "run/host.lock cannot be used: Is a directory"));
}

TEST_CASE("the directory is closed to others, and a file in its place is told") {
    test::TempDir const home;
    std::filesystem::create_directories(home / "run");
    ::chmod((home / "run").c_str(), 0755);
    REQUIRE(RunDirectory::open(home.path()));
    struct stat status {};
    REQUIRE(::stat((home / "run").c_str(), &status) == 0);
    CHECK((status.st_mode & 07777U) == 0700);
    test::TempDir const other;
    other.write("run", "");
    auto const refused = RunDirectory::open(other.path());
    REQUIRE_FALSE(refused);
    CHECK(has(refused.error().what, "run cannot be used, so no host can be found or started: Not a directory"));
}

TEST_CASE("only one at a time may start a host") {
    test::TempDir const home;
    auto const run = RunDirectory::open(home.path());
    REQUIRE(run);
    {
        auto const first = control::lock_start(*run, std::chrono::seconds(1));
        REQUIRE(first);
        auto const second = control::lock_start(*run, std::chrono::milliseconds(20));
        REQUIRE_FALSE(second);
        CHECK(second.error().code == Errc::timeout);
    }
    CHECK(control::lock_start(*run, std::chrono::seconds(1)));
}
