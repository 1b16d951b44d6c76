// Starts that fail or take long: where it failed is said, with the remedy, and putting it right starts it.
#include "servers/host_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <unistd.h>

using test::has;
using test::HostStage;
using test::json::object;

namespace {

/// "where: words" of its failure.
std::string failure(HostStage& stage, std::string const& name) {
    auto const status = stage.status(name);
    auto const* const found = status.if_contains("failure");
    if (found == nullptr || !found->is_object()) return "";
    return std::string(found->at("where").as_string()) + ": " + std::string(found->at("words").as_string());
}

bool fails(HostStage& stage, std::string const& name, std::string const& where) {
    return stage.soon([&] { return failure(stage, name).starts_with(where + ": "); });
}

} // namespace

TEST_CASE("who dies before initialize is over says so with its last words, and it counts as a crash") {
    HostStage stage(test::somebody());
    stage.server("a", {{"--stderr-lines", "30", "--exit-at-start", "3"}, "", ""});
    stage.server("good");
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("good", "running"));
    REQUIRE(fails(stage, "a", "handshake"));
    CHECK(has(failure(stage, "a"), "exit code 3"));
    CHECK(has(failure(stage, "a"), "it ends at its start"));
    CHECK(has(stage.word("a", "stderr"), "line 30 of stderr"));
    REQUIRE(stage.reaches("a", "disabled", 15)); // 1 s, 5 s, and the third
    CHECK(has(stage.word("a", "reason"), "it ends at its start"));
    auto const call = stage.call("a", "echo");
    CHECK_FALSE(call.ok);
    CHECK(has(call.text, "pfar restart a"));
}

TEST_CASE("who never answers initialize is given up when its time is over") {
    HostStage stage(test::somebody());
    stage.server("a", {{"--hang-at-start"}, "", "[timeouts]\nstart = \"1s\"\n"});
    REQUIRE(stage.begin());
    REQUIRE(fails(stage, "a", "handshake"));
    CHECK(has(failure(stage, "a"), "initialize"));
    CHECK(stage.soon([&] { return stage.processes("a").size() <= 1; }));
}

TEST_CASE("who refuses initialize, or answers nonsense, fails in the handshake") {
    HostStage stage(test::somebody());
    stage.server("refuses", {{"--refuse-initialize"}, "", ""});
    stage.server("nonsense", {{"--wrong-initialize"}, "", ""});
    stage.server("future", {{"--protocol", "2099-01-01"}, "", ""});
    REQUIRE(stage.begin());
    REQUIRE(fails(stage, "refuses", "handshake"));
    CHECK(has(failure(stage, "refuses"), "no licence"));
    REQUIRE(fails(stage, "nonsense", "handshake"));
    REQUIRE(fails(stage, "future", "handshake"));
    CHECK(has(failure(stage, "future"), "2099-01-01"));
    CHECK(has(failure(stage, "future"), "2025-11-25"));
}

TEST_CASE("garbage on stdout before the first message is reported and survived") {
    HostStage stage(test::somebody());
    stage.server("a", {{"--garbage-at-start"}, "", ""});
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    CHECK(stage.call("a", "echo", {{"text", "x"}}).text == "x");
    auto const lines = test::json::serialize(stage.ask("logs", {{"server", "a"}, {"lines", 50}, {"follow", false}}));
    CHECK(has(lines + stage.log(), "Welcome!"));
}

TEST_CASE("who ends right after initialize is restarted and disabled like any other") {
    HostStage stage(test::somebody());
    stage.server("a", {{"--exit-after-initialize"}, "", ""});
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "disabled", 20));
    CHECK(has(stage.word("a", "last_exit"), "3"));
}

TEST_CASE("a call to a server that still starts waits for it; others do not") {
    HostStage stage(test::somebody());
    stage.server("slow", {{"--slow-start", "2000"}, "", ""});
    stage.server("quick");
    REQUIRE(stage.begin());
    auto const waiting = stage.control().send("call", HostStage::call_params("slow", "echo", {{"text", "at last"}}));
    REQUIRE(stage.reaches("quick", "running", 5));
    CHECK(stage.word("slow", "state") == "starting");
    CHECK(stage.call("quick", "echo", {{"text", "now"}}).text == "now");
    CHECK_FALSE(stage.control().has(waiting));
    CHECK(HostStage::called(stage.control().wait(waiting)).text == "at last");
}

TEST_CASE("a command that is not there stops its server with the reason, and putting it there starts it") {
    HostStage stage(test::somebody());
    auto const program = stage.home() / "bin/late-server";
    stage.write("home/.pfar/mcp/a.toml", "name = \"a\"\n[server]\ncommand = \"" + program.native() + "\"\n");
    REQUIRE(stage.begin());
    REQUIRE(stage.soon([&] { return stage.word("a", "state") == "stopped" && !stage.word("a", "reason").empty(); }));
    CHECK(has(stage.word("a", "reason"), program.native()));
    std::filesystem::create_directories(program.parent_path());
    std::filesystem::copy_file(PFAR_FIXTURES "/fixture-server", program);
    stage.own();
    CHECK(stage.reaches("a", "running", 40));
}

TEST_CASE("a vault entry that is not there stops its server with the remedy, and setting it starts it") {
    HostStage stage(GENERATE(from_range(test::people())));
    stage.server("a", {{}, "", "[auth]\nTOKEN = \"vault:late_token\"\n"});
    REQUIRE(stage.begin());
    REQUIRE(stage.soon([&] { return stage.word("a", "state") == "stopped" && !stage.word("a", "reason").empty(); }));
    CHECK(has(stage.word("a", "reason"), "pfar vault set late_token"));
    auto const refused = stage.call("a", "echo");
    CHECK(has(refused.text, "pfar vault set late_token"));
    CHECK(refused.seconds < 1);
    auto const set =
        test::run({stage.words({"vault", "set", "late_token"}), {}, "/", "s3cret-value-0123", stage.setting().uid});
    CAPTURE(set.out, set.err);
    REQUIRE(set.status == 0);
    REQUIRE(stage.reaches("a", "running"));
    CHECK(stage.call("a", "env", {{"name", "TOKEN"}}).text == "[redacted:late_token]");
    CHECK(stage.number("a", "crashes") == 0);
}

TEST_CASE("without autostart a server starts at its first call") {
    HostStage stage(test::somebody());
    stage.server("a", {{}, "autostart = false", ""});
    stage.server("b");
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("b", "running"));
    CHECK(stage.word("a", "state") == "stopped");
    CHECK(stage.processes("a").empty());
    CHECK(stage.call("a", "echo", {{"text", "awake"}}).text == "awake");
    CHECK(stage.word("a", "state") == "running");
}

TEST_CASE("what cannot be executed fails in spawn") {
    HostStage stage(test::somebody());
    stage.write("home/not-a-program", "just text, no interpreter\n", 0755);
    stage.write("home/.pfar/mcp/a.toml",
                "name = \"a\"\n[server]\ncommand = \"" + (stage.home() / "not-a-program").native() + "\"\n");
    REQUIRE(stage.begin());
    REQUIRE(stage.soon([&] { return !failure(stage, "a").empty(); }));
    CHECK(failure(stage, "a").starts_with("spawn: "));
}

TEST_CASE("a credential that changes restarts its server with the new value, and both values stay hidden") {
    HostStage stage(test::somebody());
    auto const keep = [&](std::string const& value) {
        return test::run({stage.words({"vault", "set", "token"}), {}, "/", value, stage.setting().uid}).status;
    };
    stage.server("a", {{}, "", "[auth]\nTOKEN = \"vault:token\"\n"});
    REQUIRE(keep("first-value-0123456789") == 0);
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    auto const nonce = stage.call("a", "nonce").text;
    CHECK(stage.call("a", "echo", {{"text", "first-value-0123456789"}}).text == "[redacted:token]");
    REQUIRE(keep("second-value-0123456789") == 0);
    REQUIRE(
        stage.soon([&] { return stage.call("a", "nonce").text != nonce && stage.word("a", "state") == "running"; }));
    CHECK(stage.call("a", "env", {{"name", "TOKEN"}}).text == "[redacted:token]");
    CHECK(stage.call("a", "echo", {{"text", "second-value-0123456789"}}).text == "[redacted:token]");
    CHECK(stage.number("a", "crashes") == 0);
    static_cast<void>(stage.call("a", "stderr", {{"text", "I have second-value-0123456789"}}));
    auto const lines = test::json::serialize(stage.ask("logs", {{"server", "a"}, {"lines", 5}, {"follow", false}}));
    CHECK(has(lines, "I have [redacted:token]"));
}

TEST_CASE("npx without a way to the registry fails with the line to add and the faster way") {
    if (::access("/usr/bin/npx", X_OK) != 0) SKIP("there is no /usr/bin/npx");
    HostStage stage(test::somebody());
    stage.write("home/.pfar/mcp/a.toml", "name = \"a\"\n[server]\ncommand = \"/usr/bin/npx\"\nargs = [\"-y\", "
                                         "\"@modelcontextprotocol/server-everything\"]\n[timeouts]\nstart = \"15s\"\n");
    REQUIRE(stage.begin());
    REQUIRE(stage.soon([&] { return !failure(stage, "a").empty() || !stage.word("a", "reason").empty(); }, 40));
    auto const words = failure(stage, "a") + stage.word("a", "reason");
    CHECK(has(words, "pfar connect npm:@modelcontextprotocol/server-everything"));
    CHECK(has(words, "allowed_domains"));
}
