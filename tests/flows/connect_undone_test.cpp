// What a conversation that was cut off has left is undone once, and what its owner has made in the meantime is his.
#include "flows/connect_stage.hpp"

#include <catch2/catch_test_macros.hpp>

#include <csignal>

using test::as_text;
using test::ConnectStage;
using test::has;
namespace fs = std::filesystem;

namespace {

constexpr auto question = "Shall it go on?";

/// Stores, writes a file, and asks; nothing of it starts a host.
constexpr auto script = R"(config.claim("mine")
local token = ask { name = "token", prompt = "The token", secret = true }
store { name = "fresh", value = token }
config.write("mine", { server = { command = "fixture-server", args = { "--only", "login" } }, auth = { FIXTURE_TOKEN = "vault:fresh" } })
ask { name = "on", prompt = "Shall it go on?" }
report("done")
)";

void write_flow(ConnectStage const& stage, std::string const& text) {
    stage.write("home/.pfar/scripts/flows/mine.lua", text, 0600);
}

void kill_at_question(ConnectStage const& stage) {
    test::Live live(stage, stage.words({"connect", "mine"}));
    live.type("right-and-new\n");
    REQUIRE(test::says_at_last(live, question));
    live.signal(SIGKILL);
    REQUIRE(live.end() == 128 + SIGKILL);
    REQUIRE(fs::exists(stage.pfar_home() / "mcp/mine.toml"));
    REQUIRE(stage.has_entry("fresh"));
}

std::string value_of(ConnectStage const& stage, std::string const& variable) {
    return stage.pfar({"exec", "--server", "keeper", "--", "printenv", variable}).out;
}

} // namespace

TEST_CASE("what its owner has made since a conversation was killed is not undone with it") {
    ConnectStage const stage(test::people().back());
    write_flow(stage, script);
    kill_at_question(stage);
    auto const own = "name = \"mine\"\n[server]\ncommand = \"cat\"\n";
    stage.write("home/.pfar/mcp/mine.toml", own, 0600);
    REQUIRE(stage.talk({"vault", "set", "fresh"}, "of-the-owner-himself\n").status == 0);
    auto const chat = stage.talk({"chat"}, "");
    INFO(chat.out << chat.err);
    CHECK(chat.status == 0);
    CHECK(test::read(stage.pfar_home() / "mcp/mine.toml") == own);
    CHECK(stage.has_entry("fresh"));
    CHECK(test::paths_below(stage.pfar_home() / "run/flows").empty());
}

TEST_CASE("what could be undone is not undone once more when the rest can be, too") {
    ConnectStage const stage(test::people().back());
    write_flow(stage, script);
    auto const before = as_text(stage.belongings());
    kill_at_question(stage);
    auto const vault = stage.pfar_home() / "vault/secrets";
    fs::rename(vault, stage.pfar_home() / "vault/aside");
    stage.write("home/.pfar/vault/secrets", "not a vault", 0600);
    auto const first = stage.talk({"chat"}, "");
    CHECK(has(first.out + first.err, "could not be undone yet"));
    CHECK_FALSE(fs::exists(stage.pfar_home() / "mcp/mine.toml"));

    stage.write("home/.pfar/state/mine/notes", "of its owner", 0600); // who has set it up by hand since
    CHECK(has(stage.talk({"chat"}, "").out, "could not be undone yet"));
    CHECK(has(stage.talk({"connect", "mine"}, "right-and-new\n").out, "has to be cleared away first"));
    fs::rename(stage.pfar_home() / "vault/aside", vault);
    CHECK(stage.talk({"chat"}, "").status == 0); // or the host has done it already
    CHECK(ConnectStage::soon([&] { return test::paths_below(stage.pfar_home() / "run/flows").empty(); }));
    CHECK(fs::exists(stage.pfar_home() / "state/mine/notes"));
    fs::remove_all(stage.pfar_home() / "state/mine");
    CHECK(as_text(stage.belongings()) == before);
}

TEST_CASE("directories that a server has closed are no obstacle to undoing") {
    ConnectStage const stage(test::people().back());
    write_flow(stage, R"(config.write("mine", { server = { command = "sh", args = { "-c",
  "mkdir -p $HOME/a/b/c && chmod 0 $HOME/a/b $HOME/a && exec fixture-server --only login" } } })
spawn("mine")
fail("that was enough")
)");
    auto const before = as_text(stage.belongings());
    auto const said = stage.talk({"connect", "mine"}, "");
    INFO(said.out << said.err);
    CHECK(said.status == 69);
    CHECK(has(said.out, "Everything was undone"));
    CHECK(ConnectStage::soon([&] { return as_text(stage.belongings()) == before; }));
}

TEST_CASE("what was there under names that begin alike comes back under its own") {
    ConnectStage const stage(test::people().back());
    auto const alike = std::string("a_name_of_more_than_forty_eight_characters_for_the_");
    for (auto const* const one : {"id", "key"})
        REQUIRE(stage.talk({"vault", "set", alike + one}, std::string("the-old-value-of-") + one + "\n").status == 0);
    stage.write("home/.pfar/mcp/keeper.toml",
                "name = \"keeper\"\nautostart = false\n[server]\ncommand = \"cat\"\n[auth]\nID = \"vault:" + alike +
                    "id\"\nKEY = \"vault:" + alike + "key\"\n",
                0600);
    REQUIRE(value_of(stage, "ID") == "the-old-value-of-id\n");
    write_flow(stage,
               "local token = ask { name = \"token\", prompt = \"The token\", secret = true }\nstore { name = \"" +
                   alike + "id\", value = token }\nstore { name = \"" + alike +
                   "key\", value = token }\nfail(\"that was enough\")\n");
    auto const said = stage.talk({"connect", "mine"}, "right-and-new\n");
    INFO(said.out << said.err);
    CHECK(has(said.out, "Everything was undone"));
    CHECK(value_of(stage, "ID") == "the-old-value-of-id\n");
    CHECK(value_of(stage, "KEY") == "the-old-value-of-key\n");
}

TEST_CASE("a conversation that was killed is undone before a chat that is open begins the same, and not afterwards") {
    ConnectStage const stage(test::people().back());
    write_flow(stage, script);
    test::Live chat(stage, stage.words({"chat"}));
    kill_at_question(stage);
    chat.type("connect mine\nright-and-mine\n");
    REQUIRE(test::says_at_last(chat, question));
    CHECK(stage.pfar({"list"}).status == 0); // a host comes, looks at what was left, and starts it
    CHECK(ConnectStage::soon([&] { return has(stage.pfar({"list"}).out, "running"); }));
    CHECK(stage.pfar({"connect", "--clear"}).status == 0);
    CHECK(fs::exists(stage.pfar_home() / "mcp/mine.toml"));
    chat.type("yes\nquit\n");
    CHECK(test::end_at_last(chat) == 0);
    CHECK(fs::exists(stage.pfar_home() / "mcp/mine.toml"));
    CHECK(stage.has_entry("fresh"));
}

TEST_CASE("what an earlier server of that name has kept is not the next one's, unless its owner says so") {
    ConnectStage const stage(test::people().back());
    for (auto const* const service : {"plain", "dying"})
        stage.write(std::string("home/.pfar/state/") + service + "/notes", "of another", 0600);
    auto const plain = stage.talk({"connect", "plain"}, "\n");
    INFO(plain.out);
    CHECK(has(plain.out, "has what an earlier server called plain has kept"));
    CHECK(has(plain.out, "It stays there as"));
    CHECK_FALSE(fs::exists(stage.pfar_home() / "state/plain/notes"));
    CHECK(test::read(stage.pfar_home() / "state/plain.before-1/notes") == "of another");

    CHECK(stage.talk({"connect", "dying"}, "\n").status == 69); // and what is undone has it again
    CHECK(test::read(stage.pfar_home() / "state/dying/notes") == "of another");
    CHECK_FALSE(fs::exists(stage.pfar_home() / "state/dying.before-1"));

    REQUIRE(stage.talk({"disconnect", "plain"}, "yes\n").status == 0);
    stage.write("home/.pfar/state/plain/notes", "of its owner", 0600);
    REQUIRE(stage.talk({"connect", "plain"}, "yes\n").status == 0);
    CHECK(test::read(stage.pfar_home() / "state/plain/notes") == "of its owner");
}

TEST_CASE("a server that its owner has disabled stays so, whatever a conversation does with its file and others") {
    ConnectStage const stage(test::people().back());
    for (auto const* const name : {"resting", "leaving"})
        stage.write(std::string("home/.pfar/mcp/") + name + ".toml",
                    std::string("name = \"") + name +
                        "\"\n[server]\ncommand = \"" PFAR_FIXTURES
                        "/fixture-server\"\nargs = [\"--only\", \"login\"]\n",
                    0600);
    REQUIRE(stage.pfar({"list"}).status == 0);
    REQUIRE(stage.pfar({"disable", "resting"}).status == 0);
    auto const disabled = test::read(stage.pfar_home() / "run/disabled.json");
    REQUIRE(has(disabled, "resting"));
    for (auto const* const end : {"fail(\"no\")", "report(\"done\")"}) {
        write_flow(stage, std::string("config.write(\"resting\", { server = { command = \"cat\" } })\n"
                                      "config.remove(\"leaving\", {})\n") +
                              end);
        CHECK_FALSE(stage.talk({"connect", "mine"}, "").out.empty());
        CHECK(test::read(stage.pfar_home() / "run/disabled.json") == disabled);
        CHECK_FALSE(has(stage.pfar({"audit", "--json", "--server", "resting"}).out, "crash"));
    }
}

TEST_CASE(
    "a disabled server that a conversation has started is disabled again when that is undone, also after a kill") {
    ConnectStage const stage(test::people().back());
    stage.write("home/.pfar/mcp/resting.toml",
                "name = \"resting\"\n[server]\ncommand = \"" PFAR_FIXTURES
                "/fixture-server\"\nargs = [\"--only\", \"login\"]\n",
                0600);
    REQUIRE(stage.pfar({"list"}).status == 0);
    REQUIRE(stage.pfar({"disable", "resting"}).status == 0);
    auto const is_disabled = [&] {
        return has(test::read(stage.pfar_home() / "run/disabled.json"), "resting") &&
               has(stage.pfar({"status", "resting"}).out, "disabled");
    };
    REQUIRE(is_disabled());
    write_flow(stage, "spawn(\"resting\")\nask { name = \"on\", prompt = \"Shall it go on?\" }\nfail(\"no\")\n");
    auto const failed = stage.talk({"connect", "mine"}, "yes\n");
    INFO(failed.out);
    CHECK(has(failed.out, "resting was disabled; it is started now."));
    CHECK(is_disabled());

    test::Live live(stage, stage.words({"connect", "mine"}));
    REQUIRE(test::says_at_last(live, question));
    REQUIRE_FALSE(is_disabled());
    live.signal(SIGKILL);
    REQUIRE(live.end() == 128 + SIGKILL);
    CHECK(stage.talk({"chat"}, "").status == 0);
    CHECK(ConnectStage::soon(is_disabled));
}
