// A process for each call: new, confined to its tool's grants, and warmed only for the same policy.
#include "servers/host_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <set>

using test::has;
using test::HostStage;
using test::json::object;

namespace {

constexpr auto stateless = "stateful = false";

bool is_settled(HostStage& stage, std::string const& name) {
    return stage.soon([&] { return !stage.tools(name).empty(); });
}

} // namespace

TEST_CASE("each call of a stateless server has a process of its own, with nothing of the last one's") {
    HostStage stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    stage.server("s", {{}, stateless, ""});
    REQUIRE(stage.begin());
    REQUIRE(is_settled(stage, "s"));
    auto const untouched = stage.call("s", "tmp_list").text; // nothing, unless this build tree itself lies in /tmp
    std::set<std::string> nonces;
    for (int i = 0; i < 6; ++i) {
        nonces.insert(stage.call("s", "nonce").text);
        CHECK(stage.call("s", "counter").text == "1");
        CHECK(stage.call("s", "tmp_list").text == untouched);
        CHECK(stage.call("s", "write_file", {{"path", "/tmp/left"}, {"text", "x"}}).text == "written");
    }
    CHECK(nonces.size() == 6);
    CHECK(stage.number("s", "crashes") == 0);
    CHECK(stage.soon([&] { return stage.processes("s").size() <= 8; })); // what waits warm, and no more
}

TEST_CASE("without a pool no process waits") {
    HostStage stage(test::somebody());
    stage.server("s", {{}, std::string(stateless) + "\npool = 0", ""});
    REQUIRE(stage.begin());
    REQUIRE(is_settled(stage, "s"));
    std::set<std::string> nonces;
    for (int i = 0; i < 5; ++i) nonces.insert(stage.call("s", "nonce").text);
    CHECK(nonces.size() == 5);
    CHECK(stage.soon([&] { return stage.processes("s").empty(); }));
}

TEST_CASE("tool A reads a directory and tool B of the same server cannot") {
    HostStage stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto const notes = stage.write("home/notes/a.txt", "the note").parent_path();
    stage.server(
        "s", {{}, stateless, "[tools.read_file.access]\nfs = [{ path = \"" + notes.native() + "\", read = true }]\n"});
    REQUIRE(stage.begin());
    REQUIRE(is_settled(stage, "s"));
    for (int i = 0; i < 3; ++i) {
        CHECK(stage.call("s", "read_file", {{"path", (notes / "a.txt").native()}}).text == "the note");
        auto const other = stage.call("s", "list_dir", {{"path", notes.native()}});
        CHECK_FALSE(other.ok);
        CHECK_FALSE(has(other.text, "a.txt\n"));
        auto const written = stage.call("s", "write_file", {{"path", (notes / "b.txt").native()}, {"text", "x"}});
        CHECK_FALSE(written.ok);
    }
    CHECK_FALSE(std::filesystem::exists(notes / "b.txt"));
}

TEST_CASE("no call ever gets a process warmed for another policy, under 64 parallel calls") {
    HostStage stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    auto const mine = stage.write("home/mine/a.txt", "mine").parent_path(),
               other = stage.write("home/other/b.txt", "other").parent_path();
    stage.server("s", {{},
                       std::string(stateless) + "\npool = 4",
                       "[tools.read_file.access]\nfs = [{ path = \"" + mine.native() +
                           "\", read = true }]\n[tools.list_dir.access]\nfs = [{ path = \"" + other.native() +
                           "\", read = true }]\n"});
    REQUIRE(stage.begin());
    REQUIRE(is_settled(stage, "s"));
    struct Expected {
        std::int64_t id;
        bool may;
    };
    for (int round = 0; round < 3; ++round) {
        std::vector<Expected> all;
        for (int i = 0; i < 64; ++i) {
            bool const reads = i % 2 == 0, own = i % 4 < 2;
            auto const path =
                reads ? ((own ? mine / "a.txt" : other / "b.txt").native()) : (own ? other : mine).native();
            all.push_back({stage.control().send(
                               "call", HostStage::call_params("s", reads ? "read_file" : "list_dir", {{"path", path}})),
                           own});
        }
        for (auto const& [id, may] : all) {
            auto const call = HostStage::called(stage.control().wait(id));
            CAPTURE(call.text);
            CHECK(call.ok == may);
        }
    }
    CHECK(stage.number("s", "crashes") == 0);
}

TEST_CASE("a changed file drains the pool") {
    HostStage stage(test::somebody());
    stage.server("s", {{}, stateless, "[env]\nset = { COLOUR = \"red\" }\n"});
    REQUIRE(stage.begin());
    REQUIRE(is_settled(stage, "s"));
    CHECK(stage.call("s", "env", {{"name", "COLOUR"}}).text == "red");
    REQUIRE(stage.soon([&] { return !stage.processes("s").empty(); })); // one waits
    stage.server("s", {{}, stateless, "[env]\nset = { COLOUR = \"blue\" }\n"});
    REQUIRE(stage.soon([&] { return stage.call("s", "env", {{"name", "COLOUR"}}).text == "blue"; }));
    for (int i = 0; i < 5; ++i) CHECK(stage.call("s", "env", {{"name", "COLOUR"}}).text == "blue");
}

TEST_CASE("a stateless process that crashes fails its call and nothing else") {
    HostStage stage(test::somebody());
    stage.server("s", {{}, stateless, ""});
    REQUIRE(stage.begin());
    REQUIRE(is_settled(stage, "s"));
    for (int i = 0; i < 5; ++i) {
        auto const crash = stage.call("s", "crash", {{"code", 9}});
        CHECK_FALSE(crash.ok);
        CHECK(crash.seconds < 3);
    }
    CHECK(stage.call("s", "echo", {{"text", "fine"}}).text == "fine");
}
