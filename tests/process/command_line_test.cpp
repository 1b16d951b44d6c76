#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

using test::has;

TEST_CASE("help lists every command and each explains itself") {
    test::TempDir const dir;
    auto const home = dir / "home";
    auto const overview = test::pfar(home, {"--help"});
    CHECK(overview.status == 0);
    for (auto const* const command : {"add", "check", "completion", "edit", "help", "plugins", "remove", "trust"}) {
        CHECK(has(overview.out, std::string("\n  ") + command));
        auto const explained = test::pfar(home, {command, "--help"});
        CHECK(explained.status == 0);
        CHECK(has(explained.out, std::string("Usage: pfar ") + command));
        CHECK(test::pfar(home, {"help", command}).out == explained.out);
    }
    CHECK(test::pfar(home, {"--version"}).out.starts_with("pfar 0."));
    CHECK_FALSE(std::filesystem::exists(home)); // asking for help leaves nothing behind
}

TEST_CASE("what is not understood is exit code 64, with a suggestion") {
    test::TempDir const home;
    auto const check = [&](std::vector<std::string> const& words, char const* part) {
        auto const outcome = test::pfar(home.path(), words);
        CAPTURE(words);
        CHECK(outcome.status == 64);
        CHECK(outcome.out.empty());
        CHECK(has(outcome.err, part));
    };
    check({}, "Usage: pfar COMMAND");
    check({"chek"}, "did you mean check?");
    check({"frobnicate"}, "unknown command \"frobnicate\"");
    check({"plugins", "--jsno"}, "did you mean --json?");
    check({"plugins", "-x"}, "unknown option -x");
    check({"plugins", "extra"}, "plugins does not take \"extra\"");
    check({"plugins", "--json=yes"}, "--json takes no value");
    check({"plugins", "--log"}, "--log needs a value");
    check({"plugins", "--log", "loud"}, "unknown log level \"loud\"");
    check({"--bogus"}, "unknown option --bogus");
    check({"completion"}, "completion needs a SHELL");
    check({"completion", "tcsh"}, "bash, zsh or fish");
    check({"trust", "--json"}, "--json goes with --list");
    check({"help", "chek"}, "did you mean check?");
    check({"\x1b[2J"}, "\\u001b[2J");
}

TEST_CASE("options may stand before and after the command, and a beginning is enough") {
    test::TempDir const home;
    CHECK(test::pfar(home.path(), {"--log", "error", "plugins"}).status == 0);
    CHECK(test::pfar(home.path(), {"plugins", "--js", "--log=error"}).out.starts_with("["));
}

TEST_CASE("output that cannot be written is a failure") {
    test::TempDir const home;
    auto const outcome = test::run({{"/bin/sh", "-c", "exec \"$0\" plugins --json > /dev/full", PFAR_PROGRAM},
                                    {{"PFAR_HOME", home.path().native()}},
                                    {},
                                    {},
                                    0});
    CHECK(outcome.status == 74);
    CHECK(has(outcome.err, "could not be written"));
}

TEST_CASE("there are no colours off a terminal") {
    test::TempDir const home;
    home.write("mcp/a.toml", "x\n");
    auto const outcome = test::run(
        {{PFAR_PROGRAM, "check"}, {{"PFAR_HOME", home.path().native()}, {"TERM", "xterm-256color"}}, {}, {}, 0});
    CHECK(outcome.out.find('\x1b') == std::string::npos);
}

TEST_CASE("on a terminal there are colours, unless NO_COLOR says otherwise") {
    test::TempDir const home;
    home.write("mcp/a.toml", "x\n");
    auto const on_terminal = [&](std::string const& no_colour) {
        std::map<std::string, std::string> const environment{
            {"PFAR_HOME", home.path().native()}, {"TERM", "xterm"}, {"NO_COLOR", no_colour}};
        return test::run(
                   {{"script", "-qec", std::string(PFAR_PROGRAM) + " check", "/dev/null"}, environment, {}, {}, 0})
            .out;
    };
    CHECK(on_terminal("").find("\x1b[31m") != std::string::npos);
    CHECK(on_terminal("1").find('\x1b') == std::string::npos);
}

TEST_CASE("the log is quiet unless asked, goes to a private file, and a level is taken from the option or PFAR_LOG") {
    test::TempDir const home;
    home.write("plugins/bad.so", "x");
    auto const quiet = test::pfar(home.path(), {"check"});
    CHECK(quiet.err.empty());
    auto const log = home / "log/pfar.log";
    CHECK(has(test::read(log), "plugin refused"));
    CHECK((std::filesystem::status(log).permissions() & std::filesystem::perms::others_all) ==
          std::filesystem::perms::none);
    CHECK((std::filesystem::status(log).permissions() & std::filesystem::perms::group_all) ==
          std::filesystem::perms::none);
    CHECK(has(test::pfar(home.path(), {"check", "--log", "warn"}).err, "plugin refused"));
    auto const by_environment =
        test::run({{PFAR_PROGRAM, "check"}, {{"PFAR_HOME", home.path().native()}, {"PFAR_LOG", "warn"}}, {}, {}, 0});
    CHECK(has(by_environment.err, "plugin refused"));
}

TEST_CASE("a home directory that others can write, or that is none, is refused with the remedy") {
    test::TempDir const dir;
    std::filesystem::create_directory(dir / "open");
    REQUIRE(::chmod((dir / "open").c_str(), 0777) == 0);
    auto const open = test::pfar(dir / "open", {"plugins"});
    CHECK(open.status == 78);
    CHECK(has(open.err, "chmod 700"));
    CHECK(test::pfar(dir.write("file", ""), {"plugins"}).status == 74);
    CHECK(test::pfar("relative", {"plugins"}).status == 78);
    auto const nowhere = test::pfar("/proc/no/such", {"plugins"});
    CHECK(nowhere.status == 74);
    CHECK(has(nowhere.err, "set PFAR_HOME"));
}
