#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

using test::has;

namespace {

std::string seed() {
    return test::read(PFAR_SOURCE "/tests/golden/config/ok-seed/notion.toml");
}

} // namespace

TEST_CASE("the seed's notion.toml passes") {
    test::TempDir const home;
    home.write("mcp/notion.toml", seed());
    auto const outcome = test::pfar(home.path(), {"check"});
    CHECK(outcome.status == 0);
    CHECK(has(outcome.out, "ok       user    "));
    CHECK(has(outcome.out, "1 file: 0 errors, "));
    CHECK(has(outcome.out, "/home/user/.pfar/mcp-servers/notion/index.js is not there")); // a warning
}

TEST_CASE("access for a tool of a stateful server fails with the two ways out") {
    test::TempDir const home;
    home.write("mcp/notion.toml",
               "stateful = true\n" + seed() + "\n[tools.x.access]\nfs = [{ path = \"~/notes\", read = true }]\n");
    auto const outcome = test::pfar(home.path(), {"check"});
    CHECK(outcome.status == 78);
    CHECK(has(outcome.out, "[access]"));
    CHECK(has(outcome.out, "fs = [{ path = \"~/notes\", read = true }]"));
    CHECK(has(outcome.out, "stateful = false"));
}

TEST_CASE("the findings come as JSON too, and the exit code is the same") {
    test::TempDir const home;
    home.write("mcp/a.toml", "name = \"a\"\nlabell = 1\n[server]\ncommand = \"sh\"\n");
    auto const outcome = test::pfar(home.path(), {"check", "--json"});
    CHECK(outcome.status == 78);
    CHECK(has(outcome.out, "\"state\": \"invalid\""));
    CHECK(has(outcome.out, "\"line\": 2"));
    CHECK(has(outcome.out, "\"fix\": \"did you mean \\\"label\\\"?\""));
    CHECK(has(outcome.out, "\"errors\": 1"));
}

TEST_CASE("servers and files can be named, and one that is not there is said so") {
    test::TempDir const home;
    home.write("mcp/good.toml", "name = \"good\"\n[server]\ncommand = \"sh\"\n");
    home.write("mcp/bad.toml", "name = \"bad\"\n");
    CHECK(test::pfar(home.path(), {"check", "good"}).status == 0);
    CHECK(test::pfar(home.path(), {"check", "bad"}).status == 78);
    CHECK(test::pfar(home.path(), {"check", (home / "mcp/bad.toml").native()}).status == 78);
    CHECK(test::pfar(home.path(), {"check", "./mcp/good.toml"}, home.path()).status == 0);
    auto const missing = test::pfar(home.path(), {"check", "nope"});
    CHECK(missing.status == 69);
    CHECK(has(missing.err, "there is no server \"nope\""));
    CHECK(test::pfar(home.path(), {"check", "/no/such/file.toml"}).status == 78);
}

TEST_CASE("mistakes in pfar.toml about plugins are found: no such plugin, wrong settings, wrong choice") {
    test::TempDir const home;
    home.write("pfar.toml",
               "[plugins.vault-fiel]\n[plugins.bwrap]\nprogramm = \"/x\"\n[egress]\nfilter = \"proxy-conect\"\n");
    auto const outcome = test::pfar(home.path(), {"check"});
    CHECK(outcome.status == 78);
    CHECK(has(outcome.out, "pfar.toml:1:"));
    CHECK(has(outcome.out, "did you mean [plugins.vault-file]?"));
    CHECK(has(outcome.out, "unknown setting programm; it knows program"));
    CHECK(has(outcome.out, "did you mean \"proxy-connect\"?"));
    CHECK(has(outcome.out, "pfar.toml:5:10: error: egress.filter"));
    CHECK(has(outcome.out, "filter = \"proxy-conect\""));
}

TEST_CASE("a broken pfar.toml stops other commands with the mistake") {
    test::TempDir const home;
    home.write("pfar.toml", "[polciy]\n");
    auto const outcome = test::pfar(home.path(), {"plugins"});
    CHECK(outcome.status == 78);
    CHECK(has(outcome.err, "pfar.toml:1:2: error: unknown key \"polciy\""));
}

TEST_CASE("a server file that names an unknown backend is told which there are") {
    test::TempDir const home;
    home.write("mcp/a.toml", "name = \"a\"\n[server]\ncommand = \"sh\"\n[sandbox]\nbackend = \"bwarp\"\n");
    CHECK(has(test::pfar(home.path(), {"check"}).out, "did you mean \"bwrap\"?"));
}

TEST_CASE("hostile text in a file cannot act on the terminal") {
    test::TempDir const home;
    home.write("mcp/a.toml", "name = \"a\"\n\"\\u001b[2J\\u202e\" = 1\n[server]\ncommand = \"\x1b]0;owned\x07\"\n");
    auto const outcome = test::pfar(home.path(), {"check"});
    CHECK(outcome.status == 78);
    CHECK(outcome.out.find('\x1b') == std::string::npos);
    CHECK(outcome.out.find("\xe2\x80\xae") == std::string::npos);
}

TEST_CASE("a plugin path that is not there is a mistake with its place") {
    test::TempDir const home;
    home.write("pfar.toml", "[plugins]\npaths = [\"/no/such/plugin.so\"]\n");
    auto const outcome = test::pfar(home.path(), {"check"});
    CHECK(outcome.status == 78);
    CHECK(has(outcome.out, "pfar.toml:2:1: error: /no/such/plugin.so"));
}

TEST_CASE("pfar's own directory cannot be named, not even through a link") {
    test::TempDir const dir;
    std::filesystem::create_directories(dir / "home/mcp");
    std::filesystem::permissions(dir / "home", std::filesystem::perms::owner_all);
    std::filesystem::create_directory_symlink(dir / "home", dir / "link");
    auto const verdict = [&](std::string const& lines) {
        dir.write("home/mcp/a.toml", "name = \"a\"\n[server]\ncommand = \"sh\"\n" + lines);
        return test::pfar(dir / "home", {"check", "a"}).status;
    };
    CHECK(verdict("") == 0);
    CHECK(verdict("code = [\"${PFAR_HOME}/mcp-servers/x\"]\n") == 0);
    CHECK(verdict("code = [\"${PFAR_HOME}\"]\n") == 78);
    CHECK(verdict("code = [\"${PFAR_HOME}/vault\"]\n") == 78);
    CHECK(verdict("code = [\"" + dir.path().native() + "\"]\n") == 78);
    CHECK(verdict("cwd = \"${PFAR_HOME}/vault\"\n") == 78);
    CHECK(verdict("[access]\nfs = [{ path = \"" + (dir / "link/vault").native() + "\", read = true }]\n") == 78);
}

TEST_CASE("a closed stdout is a failure, and nothing of the output lands in the log") {
    test::TempDir const home;
    auto const outcome = test::run(
        {{"/bin/sh", "-c", "exec \"$0\" check >&-", PFAR_PROGRAM}, {{"PFAR_HOME", home.path().native()}}, {}, {}, 0});
    CHECK(outcome.status == 74);
    CHECK(test::read(home / "log/pfar.log").find("configuration files") == std::string::npos);
}

TEST_CASE("large files of one kind of entry are answered at once") {
    test::TempDir const home;
    std::string list = "name = \"a\"\nallowed_domains = [", keys = "name = \"a\"\n[auth]\n", equals = "x = ";
    for (int i = 0; i < 100000; ++i) list += "1,", equals += "a=", keys += "A" + std::to_string(i) + " = 1\n";
    for (auto const& text : {list + "]\n", keys.substr(0, 1000000), equals}) {
        home.write("mcp/a.toml", text);
        auto const outcome =
            test::run({{"timeout", "20", PFAR_PROGRAM, "check"}, {{"PFAR_HOME", home.path().native()}}, {}, {}, 0});
        CHECK(outcome.status == 78);
        CHECK(outcome.out.size() < 200000);
    }
}
