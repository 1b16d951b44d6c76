// pfar exec on a terminal: the command has one of its own, and the person's is as it was.
#include "sandbox/live.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <unistd.h>

#include <csignal>
#include <cstring>

using test::Live;
using test::Stage;

namespace {

bool same(termios const& a, termios const& b) {
    return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag && a.c_lflag == b.c_lflag &&
           std::memcmp(a.c_cc, b.c_cc, sizeof a.c_cc) == 0;
}

struct OnTerminal {
    Stage stage;
    Live live;
    termios before;

    OnTerminal(test::Setting const& setting, std::string const& script)
        : stage(setting), live(stage, stage.exec_words({}, {"sh", "-c", script}), Live::On::terminal),
          before(live.modes()) {}
};

} // namespace

TEST_CASE("on a terminal the command has a terminal too, of the same size") {
    OnTerminal on(GENERATE(from_range(test::settings())),
                  "test -t 0 && test -t 1 && test -t 2 && stty size && echo x > /dev/tty; exit 3");
    CAPTURE(on.stage.setting());
    CHECK(on.live.says("33 77\r\n"));
    CHECK(on.live.says("x\r\n"));
    CHECK(on.live.end() == 3);
    CHECK(same(on.live.modes(), on.before));
}

TEST_CASE("the terminal has a name that can be opened") {
    OnTerminal on(GENERATE(from_range(test::settings())), "tty && echo opened > $(tty)");
    CAPTURE(on.stage.setting());
    CHECK(on.live.says("opened\r\n"));
    CHECK(on.live.end() == 0);
}

TEST_CASE("a change of the window's size arrives") {
    OnTerminal on(GENERATE(from_range(test::settings())),
                  "trap 'stty size; exit 4' WINCH; echo ready; while :; do sleep 0.05; done");
    CAPTURE(on.stage.setting());
    REQUIRE(on.live.says("ready"));
    on.live.resize(50, 132);
    CHECK(on.live.says("50 132"));
    CHECK(on.live.end() == 4);
}

TEST_CASE("keys reach the command, and Ctrl-D ends its input") {
    OnTerminal on(GENERATE(from_range(test::settings())), "read line; echo \"<$line>\"; cat; echo done");
    CAPTURE(on.stage.setting());
    on.live.type("hello\r");
    CHECK(on.live.says("<hello>"));
    on.live.type("\x04");
    CHECK(on.live.says("done"));
    CHECK(on.live.end() == 0);
}

TEST_CASE("Ctrl-C ends the command and not pfar, which says 130") {
    OnTerminal on(GENERATE(from_range(test::settings())), "echo ready; exec sleep 1000");
    CAPTURE(on.stage.setting());
    REQUIRE(on.live.says("ready"));
    on.live.type("\x03");
    CHECK(on.live.end() == 130);
    CHECK(same(on.live.modes(), on.before));
}

TEST_CASE("a shell inside has job control") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    Live shell(stage, stage.exec_words({}, {"bash", "--norc", "-i"}), Live::On::terminal);
    shell.type("PS1='ready> '\r");
    REQUIRE(shell.says("\nready> "));
    CHECK(shell.heard().find("no job control") == std::string::npos);
    shell.forget();
    // The command itself says when it is in the foreground: bash gives the terminal away before it starts or continues it.
    // It starts nothing afterwards: a child that is stopped between vfork and exec would hold its parent, which then never stops.
    shell.type("sh -c 'trap \"echo again\" CONT; sleep 1000 & echo started; while :; do wait; done'\r");
    REQUIRE(shell.says("\nstarted"));
    shell.forget();
    shell.type("\x1a");
    CHECK(shell.says("Stopped"));
    CHECK(shell.says("ready> "));
    shell.forget();
    shell.type("fg\r");
    CHECK(shell.says("\nagain"));
    shell.forget();
    shell.type("\x03");
    CHECK(shell.says("ready> "));
    shell.forget();
    shell.type("exit 9\r");
    CHECK(shell.end() == 9);
}

TEST_CASE("Ctrl-Z stops pfar as it would stop any program, and SIGCONT goes on") {
    OnTerminal on(GENERATE(from_range(test::settings())), "echo ready; read line; echo \"<$line>\"");
    CAPTURE(on.stage.setting());
    REQUIRE(on.live.says("ready"));
    on.live.type("\x1a");
    REQUIRE(on.live.stops());
    CHECK(same(on.live.modes(), on.before)); // the person's shell has it now
    on.live.resize(40, 90);
    on.live.signal(SIGCONT);
    for (int i = 0; i < 2000 && same(on.live.modes(), on.before); ++i) ::usleep(5000);
    on.live.type("again\r");
    CHECK(on.live.says("<again>"));
    CHECK(on.live.end() == 0);
    CHECK(same(on.live.modes(), on.before));
}

TEST_CASE("the terminal is as before when the command is killed, has spoilt its own, or pfar is told to end") {
    Stage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const ends_as = [&](std::string const& script, int signal) {
        Live live(stage, stage.exec_words({}, {"sh", "-c", script}), Live::On::terminal);
        auto const before = live.modes();
        REQUIRE(live.says("ready"));
        if (signal != 0) live.signal(signal);
        auto const code = live.end();
        CHECK(same(live.modes(), before));
        return code;
    };
    CHECK(ends_as("echo ready; kill -9 $$", 0) == 137);
    CHECK(ends_as("stty raw -echo; echo ready; exit 6", 0) == 6);
    CHECK(ends_as("echo ready; exec sleep 1000", SIGTERM) == 143);
    CHECK(ends_as("echo ready; exec sleep 1000", SIGHUP) == 129);
}

TEST_CASE("much output is complete on a terminal") {
    OnTerminal on(GENERATE(from_range(test::settings())), "seq 1 20000; echo THE-END");
    CAPTURE(on.stage.setting());
    CHECK(on.live.says("THE-END"));
    CHECK(on.live.end() == 0);
    CHECK(on.live.heard().find("\r\n9999\r\n10000\r\n10001\r\n") != std::string::npos);
    CHECK(on.live.heard().size() == 108894U + 20000U + std::strlen("THE-END\r\n"));
}
