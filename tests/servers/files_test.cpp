// Server files are watched: what changes at once, what restarts, and what keeps the old one running.
#include "servers/host_stage.hpp"

#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <fstream>

using test::has;
using test::HostStage;
using test::json::object;

namespace {

void begin_one(HostStage& stage, test::ServerText const& text = {}) {
    stage.server("a", text);
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
}

bool has_note(HostStage& stage, std::string const& part) {
    return stage.soon([&] { return stage.word("a", "note").find(part) != std::string::npos; });
}

} // namespace

TEST_CASE("a new label holds at once, in the same process") {
    HostStage stage(GENERATE(from_range(test::people())));
    begin_one(stage, {{}, "allowed_domains = [\"one.example\"]", ""});
    auto const nonce = stage.call("a", "nonce").text;
    auto const pid = stage.number("a", "pid");
    stage.server("a", {{},
                       "label = \"secret\"\ntaint = \"clean\"\nallowed_domains = [\"example.com\"]",
                       "[tools.echo]\nsemantics = \"write\"\napprove = \"always\"\n"});
    REQUIRE(stage.soon([&] { return stage.word("a", "label") == "secret"; }));
    CHECK(stage.call("a", "nonce").text == nonce);
    CHECK(stage.number("a", "pid") == pid);
    auto const tools = stage.ask("tools", {{"server", "a"}});
    for (auto const& tool : tools.as_array()) {
        CHECK(tool.at("label") == test::json::value("secret"));
        if (tool.at("name") == test::json::value("a.echo")) CHECK(tool.at("semantics") == test::json::value("write"));
        if (tool.at("name") == test::json::value("a.echo")) CHECK(tool.at("approve") == test::json::value("always"));
        if (tool.at("name") == test::json::value("a.pid")) CHECK(tool.at("semantics") == test::json::value("read"));
    }
}

TEST_CASE("a new environment restarts the server, once its calls have drained") {
    HostStage stage(test::somebody());
    begin_one(stage, {{}, "", "[env]\nset = { COLOUR = \"red\" }\n"});
    CHECK(stage.call("a", "env", {{"name", "COLOUR"}}).text == "red");
    auto const under_way = stage.control().send("call", HostStage::call_params("a", "late", {{"ms", 1500}}));
    stage.server("a", {{}, "", "[env]\nset = { COLOUR = \"blue\" }\n"});
    CHECK(HostStage::called(stage.control().wait(under_way)).text == "late");
    CHECK(stage.soon([&] { return stage.call("a", "env", {{"name", "COLOUR"}}).text == "blue"; }));
    CHECK(stage.number("a", "crashes") == 0);
}

TEST_CASE("an invalid newer file keeps the old one running and says so") {
    HostStage stage(test::somebody());
    begin_one(stage);
    auto const nonce = stage.call("a", "nonce").text;
    stage.write("home/.pfar/mcp/a.toml", "name = \"a\"\nlabel = \"sekrit\"\n[server]\ncommand = \"true\"\n");
    REQUIRE(has_note(stage, "sekrit"));
    CHECK(stage.listed("a").at("state") == test::json::value("running"));
    CHECK(has(test::json::serialize(stage.listed("a")), "sekrit"));
    CHECK(stage.call("a", "nonce").text == nonce);
    stage.server("a");
    CHECK(stage.soon([&] { return stage.word("a", "note").empty(); }));
    CHECK(stage.call("a", "nonce").text == nonce); // it is the old one again
}

TEST_CASE("files written in any way are noticed: renamed over, truncated, removed, new") {
    HostStage stage(test::somebody());
    begin_one(stage);
    auto const file = stage.pfar_home() / "mcp/a.toml";
    auto const write_label = [&](char const* label, bool renamed) {
        auto const text = stage.text_of("a", {{}, std::string("label = \"") + label + "\"", ""});
        auto const target = renamed ? stage.pfar_home() / "mcp/.a.toml.new" : file;
        std::ofstream(target) << text;
        if (renamed) std::filesystem::rename(target, file);
        stage.own();
        return stage.soon([&] { return stage.word("a", "label") == label; });
    };
    CHECK(write_label("public", true));
    CHECK(write_label("regulated", false));
    CHECK(write_label("sensitive", true));
    std::filesystem::remove(file);
    CHECK(stage.soon([&] { return stage.listed("a").empty() && stage.processes("a").empty(); }));
    stage.server("b");
    CHECK(stage.reaches("b", "running"));
    stage.server("a");
    CHECK(stage.reaches("a", "running"));
}

TEST_CASE("a blocked domain is named with the line that allows it, and pfar allow reaches the running process") {
    HostStage stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    begin_one(stage, {{}, "allowed_domains = [\"one.example\"]", ""});
    auto const nonce = stage.call("a", "nonce").text;
    auto const refused = stage.call("a", "connect", {{"host", "blocked.example"}, {"via", "proxy"}});
    CHECK_FALSE(refused.ok);
    CHECK(has(refused.text, "403"));
    CHECK(has(refused.text, "blocked.example"));
    REQUIRE(stage.soon([&] { return stage.listed("a").at("blocked").to_number<int>() > 0; }));
    auto const blocked = stage.word("a", "blocked_domains");
    CHECK(has(blocked, "blocked.example"));
    CHECK(has(blocked, "pfar allow a blocked.example"));
    auto const allowed = stage.pfar({"allow", "a", "blocked.example"});
    CAPTURE(allowed.out, allowed.err);
    REQUIRE(allowed.status == 0);
    std::string said;
    CHECK(stage.soon([&] {
        said = stage.call("a", "connect", {{"host", "blocked.example"}, {"via", "proxy"}}).text;
        return said.find("403") == std::string::npos; // it now fails for want of such a host
    }));
    CAPTURE(said);
    CHECK(stage.call("a", "nonce").text == nonce);
    CHECK(stage.number("a", "restarts") == 0);
    auto const since = stage.word("a", "blocked_domains"); // it stays counted, and nothing is left to do
    CHECK(has(since, "blocked.example"));
    CHECK_FALSE(has(since, "pfar allow"));
}

TEST_CASE("an error that looks like a denied operation gets a labelled guess") {
    HostStage stage(test::somebody());
    begin_one(stage, {{}, "allowed_domains = [\"one.example\"]", ""});
    auto const secret = stage.write("home/Private/My-Notes.txt", "mine");
    auto const missing = stage.call("a", "read_file", {{"path", secret.native()}});
    CHECK_FALSE(missing.ok);
    CHECK(has(missing.text, "ENOENT"));
    CHECK(has(missing.text, "[access]")); // it exists outside: the lines to write
    auto const denied = stage.call("a", "error", {{"message", "EACCES: permission denied, open '/root/x'"}});
    CHECK(has(denied.text, "EACCES"));
    CHECK(has(denied.text, "sandbox"));
    auto const plain = stage.call("a", "error", {{"message", "the page has no title"}});
    CHECK(plain.text == "the page has no title");
    auto const name = stage.call("a", "connect", {{"host", "other.example"}, {"via", "proxy"}});
    CHECK(has(name.text, "pfar allow a other.example"));
    auto const words = stage.status("a").at("failure").at("words").as_string();
    CHECK(words.starts_with("meanwhile it was kept from other.example"));
}

TEST_CASE("what was said on stderr is kept in order, bounded, and followed") {
    HostStage stage(test::somebody());
    begin_one(stage, {{"--stderr-lines", "500"}, "", ""});
    auto const lines = stage.ask("logs", {{"server", "a"}, {"lines", 10}, {"follow", false}}).at("lines").as_array();
    REQUIRE(lines.size() == 10);
    CHECK(has(std::string(lines[9].as_string()), "line 500 of stderr"));
    auto follower = stage.connect();
    REQUIRE(follower.ok());
    REQUIRE(follower.ask("logs", {{"server", "a"}, {"lines", 1}, {"follow", true}}));
    static_cast<void>(stage.call("a", "stderr", {{"text", "fresh words"}}));
    auto const told = follower.notification(std::chrono::seconds(5));
    REQUIRE(told);
    CHECK(has(test::json::serialize(*told), "fresh words"));
}
