// What is said between pfar and a server: revisions, roots, access, lists and their changes.
#include "servers/host_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>

using test::has;
using test::HostStage;
using test::json::object;

namespace {

bool offers(HostStage& stage, std::string const& server, std::string const& tool) {
    auto const all = stage.tools(server);
    return std::find(all.begin(), all.end(), tool) != all.end();
}

void begin_one(HostStage& stage, test::ServerText const& text = {}) {
    stage.server("a", text);
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
}

} // namespace

TEST_CASE("every revision is spoken with who speaks it") {
    std::string const revision = GENERATE("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25");
    HostStage stage(test::somebody());
    begin_one(stage, {{"--protocol", revision}, "", ""});
    CHECK(stage.word("a", "protocol") == revision);
    CHECK(stage.word("a", "server_name") == "fixture");
    CHECK(stage.call("a", "echo", {{"text", "x"}}).text == "x");
}

TEST_CASE("a server is told its grants as roots and the rest of its policy at initialize") {
    HostStage stage(test::somebody());
    auto const notes = stage.write("home/notes/a.txt", "x").parent_path(), inbox = stage.make("home/in box");
    begin_one(stage, {{},
                      "allowed_domains = [\"api.example.com\"]",
                      "[access]\nfs = [{ path = \"" + notes.native() + "\", read = true }, { path = \"" +
                          inbox.native() + "\", read = true, write = true }]\n"});
    auto const roots = stage.call("a", "roots").text;
    CHECK(has(roots, "file://" + notes.native() + "\""));
    CHECK(has(roots, "/home/in%20box\""));
    auto const access = test::json::parse(stage.call("a", "access").text);
    CHECK(access.at("client").at("name") == test::json::value("pfar"));
    CHECK(access.at("protocol") == test::json::value("2025-11-25"));
    CHECK(access.at("capabilities").as_object().contains("roots"));
    CHECK(access.at("capabilities").as_object().contains("sampling"));
    CHECK(access.at("capabilities").as_object().contains("elicitation"));
    auto const policy = test::json::serialize(access.at("access"));
    CHECK(has(policy, "api.example.com"));
    CHECK(has(policy, notes.native()));
    CHECK(stage.call("a", "read_file", {{"path", (notes / "a.txt").native()}}).text == "x"); // as it was told
    CHECK_FALSE(stage.call("a", "write_file", {{"path", (notes / "b.txt").native()}, {"text", "x"}}).ok);
    CHECK(stage.call("a", "write_file", {{"path", (inbox / "b.txt").native()}, {"text", "x"}}).ok);
}

TEST_CASE("what a server asks is answered or refused with a reason, never left") {
    HostStage stage(test::somebody());
    begin_one(stage);
    for (auto const* const tool : {"ask_sampling", "ask_elicitation"}) {
        auto const refused = stage.call("a", tool);
        CHECK_FALSE(refused.ok);
        CHECK(refused.seconds < 5);
        CHECK(has(refused.text, "message"));
    }
    CHECK(has(stage.call("a", "ask_unknown").text, "-32601"));
}

TEST_CASE("a list that changes is read again") {
    HostStage stage(test::somebody());
    begin_one(stage);
    auto const nonce = stage.call("a", "nonce").text;
    CHECK(stage.call("a", "change_tools", {{"add", "brand_new"}}).ok);
    CHECK(stage.soon([&] { return offers(stage, "a", "brand_new"); }));
    CHECK(stage.call("a", "brand_new").text == "added");
    CHECK(stage.call("a", "change_tools", {{"from", "brand_new"}, {"to", "renamed"}}).ok);
    CHECK(stage.soon([&] { return offers(stage, "a", "renamed") && !offers(stage, "a", "brand_new"); }));
    CHECK(stage.call("a", "change_tools", {{"remove", "renamed"}}).ok);
    CHECK(stage.soon([&] { return !offers(stage, "a", "renamed"); }));
    CHECK(stage.call("a", "nonce").text == nonce);
}

TEST_CASE("a list in pages is read to its end, and one without end is given up") {
    HostStage stage(test::somebody());
    stage.server("pages", {{"--pages", "7"}, "", ""});
    stage.server("many", {{"--many-tools", "1000", "--pages", "20"}, "", ""});
    stage.server("endless", {{"--pages", "3", "--endless-pages"}, "", ""});
    stage.server("none", {{"--no-tools"}, "", ""});
    stage.server("plain");
    REQUIRE(stage.begin());
    for (auto const* const name : {"pages", "many", "none", "plain"}) REQUIRE(stage.reaches(name, "running"));
    CHECK(stage.tools("pages") == stage.tools("plain"));
    CHECK(stage.tools("many").size() == stage.tools("plain").size() + 1000);
    CHECK(stage.tools("none").empty());
    REQUIRE(stage.soon([&] { return stage.word("endless", "state") != "starting"; }));
    CHECK(stage.number("endless", "tools") <= 2000);
    CHECK(stage.call("plain", "echo", {{"text", "x"}}).text == "x");
}

TEST_CASE("tools are known from the last time before their server is up, and anew when its file changes") {
    HostStage stage(test::somebody());
    begin_one(stage, {{"--many-tools", "3"}, "", ""});
    auto const before = stage.tools("a");
    REQUIRE(offers(stage, "a", "many_2"));
    REQUIRE(stage.end() == 0);
    stage.server("b");
    auto text = test::ServerText{{"--many-tools", "3"}, "autostart = false", ""};
    stage.server("a", text);
    REQUIRE(stage.begin()); // another file: nothing is known of it
    REQUIRE(stage.reaches("b", "running"));
    CHECK(stage.tools("a").empty());
    CHECK(stage.call("a", "echo", {{"text", "x"}}).text == "x");
    REQUIRE(stage.end() == 0);
    REQUIRE(stage.begin()); // the same file as last time
    CHECK(stage.soon([&] { return stage.tools("a") == before; }, 5));
    CHECK(stage.word("a", "state") == "stopped");
    CHECK(stage.processes("a").empty());
}

TEST_CASE("tools have a name, a server, what they do, and a schema") {
    HostStage stage(test::somebody());
    begin_one(stage);
    auto const all = stage.ask("tools").as_array();
    REQUIRE(all.size() == stage.tools("a").size());
    for (auto const& tool : all) {
        CHECK(std::string(tool.at("name").as_string()).starts_with("a."));
        CHECK(tool.at("server") == test::json::value("a"));
        CHECK(tool.at("label") == test::json::value("internal"));
        CHECK_FALSE(tool.at("description").as_string().empty());
        CHECK(tool.at("input_schema").at("type") == test::json::value("object"));
        for (auto const* const key : {"semantics", "approve", "pinned"}) CHECK(tool.as_object().contains(key));
    }
}

TEST_CASE("a call whose caller has gone, or whose time is over, is cancelled at the server") {
    HostStage stage(test::somebody());
    begin_one(stage, {{}, "", "[timeouts]\ncall = \"1s\"\n"});
    CHECK(stage.call("a", "cancelled").text == "0");
    {
        auto other = stage.connect();
        REQUIRE(other.ok());
        other.send("call", HostStage::call_params("a", "mute"));
        REQUIRE(stage.soon([&] { return stage.number("a", "calls_in_flight") == 1; }));
    }
    CHECK(stage.soon([&] { return stage.call("a", "cancelled").text == "1"; }, 1));
    CHECK(stage.number("a", "calls_in_flight") == 0);
    CHECK_FALSE(stage.call("a", "mute").ok);
    CHECK(stage.soon([&] { return stage.call("a", "cancelled").text == "2"; }));
}
