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
