// The host as a process: started by whoever needs it, once, and by nobody's leave but its own.
#include "process/host_home.hpp"
#include "support/child.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <set>

using test::has;
using test::HostHome;
using test::is_gone_within;
using test::long_enough;

TEST_CASE("where no host runs, that is told, and stopping it is done already") {
    HostHome const home;
    auto const status = home.pfar({"host", "status"});
    CHECK(status.status == 69);
    CHECK(has(status.out, "no host runs"));
    CHECK(has(home.pfar({"host", "status", "--json"}).out, "\"running\": false"));
    auto const stopped = home.pfar({"host", "stop"});
    CHECK(stopped.status == 0);
    CHECK(stopped.out == "no host runs\n");
    CHECK(home.recorded("start") == 0);
}

TEST_CASE("pfar audit shows what has just happened, however long lines wait for company") {
    HostHome const home("[audit]\ndelay = \"1s\"\n");
    for (int i = 0; i < 3; ++i) {
        REQUIRE(home.started() > 1);
        REQUIRE(home.pfar({"host", "stop"}).status == 0);
        REQUIRE(home.started() > 1);
        auto const shown = home.pfar({"audit", "--json", "--kind", "host"});
        CHECK(has(shown.out, R"("pid":)" + std::to_string(home.pid())));
        CHECK(home.pfar({"audit", "verify"}).status == 0);
    }
}

TEST_CASE("however many commands come at once, one host is started") {
    HostHome const home;
    std::vector<pid_t> children;
    for (int i = 0; i < 50; ++i) {
        auto const child = ::fork();
        if (child == 0) ::_exit(home.pfar({"list", "--json"}).out == "[]\n" ? 0 : 1);
        children.push_back(child);
    }
    CHECK(std::count_if(children.begin(), children.end(), [](pid_t child) { return test::ended(child) != 0; }) == 0);
    CHECK(home.recorded("start", 1) == 1);
    auto const status = home.pfar({"host", "status"});
    CHECK(status.status == 0);
    CHECK(has(status.out, "pid          " + std::to_string(home.pid()) + ", started on demand"));
}

TEST_CASE("a host outlives the session and the process group of whoever started it") {
    HostHome const home;
    auto const child = ::fork();
    if (child == 0) {
        ::setsid();
        (void)home.pfar({"list"});
        ::kill(0, SIGKILL);
    }
    CHECK(test::ended(child) == 1000 + SIGKILL);
    auto const host = home.pid();
    REQUIRE(host > 1);
    CHECK(::getsid(host) != child);
    CHECK(::getpgid(host) != child);
    CHECK(std::filesystem::read_symlink("/proc/" + std::to_string(host) + "/cwd") == "/");
    CHECK(test::read("/proc/" + std::to_string(host) + "/comm") == "pfar\n");
    CHECK(home.started() == host);
    CHECK(home.recorded("start", 1) == 1);
}

TEST_CASE("after a host was killed the next command starts a clean one") {
    HostHome const home;
    auto const first = home.started();
    REQUIRE(first > 1);
    REQUIRE(home.recorded("start", 1) == 1); // what waits for company when it is killed is lost
    ::kill(first, SIGKILL);
    REQUIRE(is_gone_within(first, long_enough));
    CHECK(std::filesystem::exists(home.dir / "run/pfar.sock"));
    auto const second = home.started();
    CHECK(second > 1);
    CHECK(second != first);
    CHECK(home.recorded("start", 2) == 2);
}

TEST_CASE("what lies in the lock and in the socket's place is no obstacle") {
    HostHome const home;
    home.dir.write("run/host.lock", "1\nnonsense\n" + std::string(3000, '\xff'));
    home.dir.write("run/pfar.sock", "not a socket");
    CHECK(home.started() > 1);
    CHECK(home.pfar({"host", "stop"}).status == 0);
}

TEST_CASE("a host that is told to stop stops in order") {
    HostHome const home;
    auto const host = home.started();
    REQUIRE(host > 1);
    SECTION("by the command") {
        auto const stopped = home.pfar({"host", "stop"});
        CHECK(stopped.status == 0);
        CHECK(stopped.out == "the host has stopped\n");
    }
    SECTION("by SIGTERM") {
        ::kill(host, SIGTERM);
    }
    SECTION("by SIGINT") {
        ::kill(host, SIGINT);
    }
    CHECK(is_gone_within(host, long_enough));
    CHECK_FALSE(std::filesystem::exists(home.dir / "run/pfar.sock"));
    CHECK(home.recorded("stop", 1) == 1);
    CHECK(has(test::read(home.dir / "log/pfar.log"), "host: stopped"));
}

TEST_CASE("SIGHUP has the host read its files again, and it goes on") {
    HostHome const home;
    auto const host = home.started();
    REQUIRE(host > 1);
    ::kill(host, SIGHUP);
    CHECK(home.started() == host);
    CHECK(home.pfar({"host", "stop"}).status == 0);
    CHECK(has(test::read(home.dir / "log/pfar.log"), "reads its files again"));
}

TEST_CASE("a host that was started on demand leaves when it is idle") {
    HostHome const home("[host]\nidle_exit = \"1s\"\n");
    auto const host = home.started();
    REQUIRE(host > 1);
    CHECK(is_gone_within(host, long_enough));
    CHECK(has(test::read(home.dir / "log/pfar.log"), "host: stops: idle"));
    CHECK(home.started() > 1);
}

TEST_CASE("commands that come while hosts leave all find one") {
    HostHome const home("[host]\nidle_exit = \"1ms\"\n");
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        auto const child = ::fork();
        if (child == 0) {
            int failures = 0;
            for (int round = 0; round < 5; ++round) failures += home.pfar({"list"}).status == 0 ? 0 : 1;
            ::_exit(failures);
        }
        children.push_back(child);
    }
    for (auto const child : children) CHECK(test::ended(child) == 0);
}

TEST_CASE("restarting a host gives another one") {
    HostHome const home;
    auto const first = home.started();
    auto const restarted = home.pfar({"host", "restart"});
    CHECK(restarted.status == 0);
    CHECK(home.pid() != first);
    CHECK(restarted.out == "the host runs, pid " + std::to_string(home.pid()) + "\n");
    CHECK(home.pfar({"host", "stop"}).status == 0);
    CHECK(home.pfar({"host", "restart"}).status == 0); // also where none runs
}

TEST_CASE("a host that does not answer can be ended") {
    HostHome const home;
    auto const host = home.started();
    REQUIRE(host > 1);
    ::kill(host, SIGSTOP);
    auto const list = home.pfar({"list"});
    CHECK(list.status == 69);
    CHECK(has(list.err, "pfar host restart"));
    CHECK(home.pfar({"host", "stop"}).status == 0);
    CHECK(is_gone_within(host, long_enough));
}

TEST_CASE("an idle host whose program was replaced is replaced too") {
    HostHome const home;
    test::TempDir const tree;
    std::filesystem::create_directories(tree / "bin");
    for (auto const* const part : {"lib", "libexec", "share"})
        if (std::filesystem::exists(std::filesystem::path(PFAR_BUILD) / part))
            std::filesystem::create_directory_symlink(std::filesystem::path(PFAR_BUILD) / part, tree / part);
    auto const install = [&] {
        std::filesystem::copy_file(PFAR_PROGRAM, tree / "bin/new");
        std::filesystem::rename(tree / "bin/new", tree / "bin/pfar");
    };
    auto const list = [&] {
        return test::run({{(tree / "bin/pfar").native(), "list"}, {{"PFAR_HOME", home.dir.path().native()}}, "/", {}});
    };
    install();
    CHECK(list().status == 0);
    auto const first = home.pid();
    CHECK(list().status == 0);
    CHECK(home.pid() == first);
    install();
    auto const replaced = list();
    CHECK(replaced.status == 0);
    CHECK(replaced.err.empty());
    CHECK(home.pid() != first);
    CHECK(is_gone_within(first, long_enough));
    CHECK(has(home.pfar({"host", "status"}).err, "of another build than this pfar"));
    CHECK(home.pfar({"host", "stop"}).status == 0);
}

TEST_CASE("why no host can be started is told by the command that needed one") {
    HostHome const home;
    SECTION("mistakes in pfar.toml") {
        home.dir.write("pfar.toml", "[host]\nidle = 1\n");
        auto const list = home.pfar({"list"});
        CHECK(list.status == 78);
        CHECK(has(list.err, "pfar.toml has mistakes, so no host is started; pfar check tells which"));
    }
    SECTION("a file in place of run/") {
        home.dir.write("run", "");
        auto const list = home.pfar({"list"});
        CHECK(list.status == 74);
        CHECK(has(list.err, "run cannot be used, so no host can be found or started: Not a directory"));
    }
    SECTION("a directory in the socket's place") {
        std::filesystem::create_directories(home.dir / "run/pfar.sock");
        auto const list = home.pfar({"list"});
        CHECK(list.status == 74);
        CHECK(has(list.err, "run/pfar.sock cannot be"));
    }
}

TEST_CASE("a run/ that may not be written is told") {
    if (::geteuid() != 0) SKIP("needs root to become somebody else");
    test::TempDir const home;
    home.write("run/vault-changed", "");
    ::chmod((home / "run").c_str(), 0500);
    for (auto const& path : {home.path(), home / "run"}) CHECK(::lchown(path.c_str(), 61000, 61000) == 0);
    auto const list = test::run({{PFAR_PROGRAM, "list"}, {{"PFAR_HOME", home.path().native()}}, "/", {}, 61000});
    CHECK(list.status == 74);
    CHECK(has(list.err, "run/start.lock cannot be used: Permission denied"));
}

TEST_CASE("where the user has a systemd, the host is a unit of it, and where that fails, a process like any other") {
    HostHome const home;
    test::TempDir const machine;
    std::filesystem::create_directories(machine / "runtime/systemd/private");
    bool works = false;
    SECTION("it works") {
        works = true;
    }
    SECTION("it fails") {}
    auto const program = machine.write("bin/systemd-run", std::string(R"(#!/bin/sh
printf '%s\n' "$@" > "$PFAR_HOME/asked"
while [ "$1" != -- ]; do shift; done
shift
)") + (works ? R"(setsid "$@" </dev/null >/dev/null 2>&1 &
until [ -S "$PFAR_HOME/run/pfar.sock" ]; do sleep 0.05; done
)"
             : "exit 1\n"));
    ::chmod(program.c_str(), 0755);
    auto const list = test::run({{PFAR_PROGRAM, "list"},
                                 {{"PFAR_HOME", home.dir.path().native()},
                                  {"XDG_RUNTIME_DIR", (machine / "runtime").native()},
                                  {"PATH", (machine / "bin").native() + ":" + std::getenv("PATH")}},
                                 "/",
                                 {}});
    CHECK(list.status == 0);
    CHECK(list.err.empty());
    auto const asked = test::read(home.dir / "asked");
    for (auto const* const word : {"--user\n", "--property=Delegate=yes\n", "--setenv=PFAR_HOME\n", "--setenv=PATH\n"})
        CHECK(has(asked, word));
    CHECK(has(asked, std::string("--\n") + PFAR_PROGRAM + "\nhost\n--detached\n"));
    auto const words = test::read("/proc/" + std::to_string(home.pid()) + "/cmdline");
    CHECK((words.find("--ready") == std::string::npos) == works);
    CHECK(home.recorded("start", 1) == 1);
    CHECK(home.pfar({"host", "stop"}).status == 0);
}
