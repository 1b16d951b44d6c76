// A conversation that is killed at any of its verbs, or at any moment at all, leaves the home directory as it was, or all of what it was to make.
#include "flows/connect_stage.hpp"
#include "sandbox/small_disk.hpp"

#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_test_macros.hpp>

#include <poll.h>

#include <csignal>
#include <random>

using test::as_text;
using test::Belongings;
using test::ConnectStage;
using test::has;

namespace {

constexpr auto question = "Shall it go on?";

/// Everything that a flow can change, one after the other; the question comes after as many as are wanted.
constexpr auto steps = R"(local token = ask { name = "token", prompt = "The token", secret = true }
local steps = {
  function() store { name = "fresh", value = token } end,
  function() store { name = "old_token", value = token } end,
  function()
    config.write("victim", { server = { command = "fixture-server", args = { "--only", "login,counter" } }, auth = { FIXTURE_TOKEN = "vault:fresh" } })
  end,
  function() assert(spawn("victim")) end,
  function() assert(verify("victim", { tool = "login" })) end,
  function()
    config.write("old", { description = "changed", server = { command = "fixture-server" }, auth = { FIXTURE_TOKEN = "vault:old_token" } })
  end,
  function() assert(spawn("old")) end,
  function() install({ npm = "hello", version = "1.0.0" }, { server = "victim" }) end,
  function() config.remove("old", { forget = true }) end,
}
for number = 1, wanted do steps[number]() end
ask { name = "on", prompt = "Shall it go on?" }
report("done")
)";
constexpr int step_count = 9, first_spawn = 4;

std::string script(int wanted) {
    return "local wanted = " + std::to_string(wanted) + "\n" + steps;
}

/// An owner with a server that runs, its token, and a flow of the owner's own.
class VictimStage : public ConnectStage {
public:
    VictimStage() : ConnectStage(test::people().back()), registry_(setting()) {
        registry_.npmrc();
        write("home/.npmrc", test::read(registry_.home() / ".npmrc"), 0600);
        write("home/.pfar/mcp/old.toml", "name = \"old\"\n[server]\ncommand = \"" PFAR_FIXTURES
                                         "/fixture-server\"\nargs = [\"--only\", \"login\"]\n[auth]\nFIXTURE_TOKEN = "
                                         "\"vault:old_token\"\n[tools.login]\nsemantics = \"read\"\n");
        write("home/.pfar/log/servers/old.log", "", 0600); // it lives longer than a conversation
        REQUIRE(talk({"vault", "set", "old_token"}, "right-and-old\n").status == 0);
        REQUIRE(works());
        before = as_text(belongings());
    }
    /// With its old token.
    [[nodiscard]] bool works() const { return pfar({"call", "old.login"}).out == "hello\n"; }
    /// At the question after so many verbs.
    void ask_after(test::Live& live, int wanted) const {
        CAPTURE(wanted);
        live.type("right-and-new\n");
        REQUIRE(test::says_at_last(live, question));
        if (wanted > 0) CHECK(as_text(belongings()) != before); // there is something to undo
    }
    [[nodiscard]] std::vector<std::string> victim(int wanted) const {
        write("home/.pfar/scripts/flows/victim.lua", script(wanted), 0600);
        return words({"connect", "victim"});
    }
    void check_as_before() const {
        bool const same = soon([this] { return as_text(belongings()) == before; });
        if (!same) CHECK(as_text(belongings()) == before);
        CHECK(works());
    }

    std::string before;

private:
    test::InstallStage registry_;
};

/// What makes a server a connected one; what is known of its tools comes by itself.
std::string connected(Belongings all) {
    std::erase_if(all,
                  [](auto const& one) { return one.first.starts_with("cache/") || one.first.starts_with("log/"); });
    return as_text(all);
}

} // namespace

TEST_CASE("a conversation that is killed at any verb is undone by the next one") {
    NEEDS_NPM();
    VictimStage const stage;
    for (int wanted = 0; wanted <= step_count; ++wanted) {
        CAPTURE(wanted);
        {
            test::Live live(stage, stage.victim(wanted));
            stage.ask_after(live, wanted);
            live.signal(SIGKILL);
            CHECK(live.end() == 128 + SIGKILL);
        }
        CHECK(stage.talk({"chat"}, "").status == 0);
        stage.check_as_before();
    }
}

TEST_CASE("a killed conversation is undone by the host, without another one") {
    NEEDS_NPM();
    VictimStage const stage;
    test::Live live(stage, stage.victim(first_spawn));
    stage.ask_after(live, first_spawn);
    live.signal(SIGKILL);
    CHECK(live.end() == 128 + SIGKILL);
    CHECK(ConnectStage::soon([&] { // the host looks when somebody leaves, and these are no conversations
        return as_text(stage.belongings()) == stage.before;
    }));
    stage.check_as_before();
}

TEST_CASE("Ctrl-C and SIGTERM at a question undo everything at once") {
    NEEDS_NPM();
    VictimStage const stage;
    for (int const signal : {SIGINT, SIGTERM}) {
        test::Live live(stage, stage.victim(step_count));
        stage.ask_after(live, step_count);
        live.signal(signal);
        CHECK(test::end_at_last(live) == 77);
        CHECK(has(live.heard(), "Cancelled.\nEverything was undone; nothing is left behind.\n"));
        CHECK(as_text(stage.belongings()) == stage.before);
        CHECK(stage.works());
    }
}

TEST_CASE("Ctrl-C at the hidden question of a terminal undoes everything, and gives the terminal back") {
    ConnectStage const stage(test::people().back());
    auto const before = as_text(stage.belongings());
    test::Live live(stage, stage.words({"connect", "guarded"}), test::Live::On::terminal);
    auto const modes = live.modes().c_lflag;
    REQUIRE(live.says("(not shown)"));
    REQUIRE(ConnectStage::soon([&] { return (live.modes().c_lflag & ECHO) == 0; }));
    live.type("right-tok\x03");
    CHECK(test::end_at_last(live) == 77);
    CHECK(live.modes().c_lflag == modes);
    CHECK_FALSE(has(live.heard(), "right-tok"));
    CHECK(as_text(stage.belongings()) == before);
}

TEST_CASE("a signal at the hidden question of a terminal undoes everything at once, and gives the terminal back") {
    ConnectStage const stage(test::people().back());
    auto const before = as_text(stage.belongings());
    for (int const signal : {SIGTERM, SIGINT, SIGHUP}) {
        test::Live live(stage, stage.words({"connect", "guarded"}), test::Live::On::terminal);
        auto const modes = live.modes().c_lflag;
        REQUIRE(live.says("(not shown)"));
        REQUIRE(ConnectStage::soon([&] { return (live.modes().c_lflag & ECHO) == 0; }));
        live.signal(signal);
        CHECK(test::end_at_last(live) == 77);
        CHECK(live.modes().c_lflag == modes);
        CHECK(as_text(stage.belongings()) == before);
    }
}

TEST_CASE("a conversation that went well on a disk that has become full is not undone afterwards") {
    ConnectStage const stage(test::people().front());
    test::SmallDisk const disk(stage.make("home/.pfar/run"), stage.setting().uid);
    if (!disk.is_mounted()) SKIP("no file system may be mounted here");
    stage.write("home/.pfar/scripts/flows/late.lua",
                "config.write(\"late\", { server = { command = \"fixture-server\" } })\n"
                "ask { name = \"on\", prompt = \"Shall it go on?\" }\nreport(\"done\")\n",
                0600);
    {
        test::Live live(stage, stage.words({"connect", "late"}));
        REQUIRE(test::says_at_last(live, question));
        disk.fill();
        live.type("yes\n");
        CHECK(test::end_at_last(live) == 0);
    }
    disk.make_room();
    CHECK(stage.talk({"chat"}, "").status == 0); // which undoes what was cut off
    CHECK(std::filesystem::exists(stage.pfar_home() / "mcp/late.toml"));
    CHECK(test::paths_below(stage.pfar_home() / "run/flows").empty());
}

TEST_CASE("a conversation that is killed at any moment leaves all of it or nothing") {
    ConnectStage const stage(test::people().back());
    auto const before = as_text(stage.belongings());
    auto const connect = stage.words({"connect", "guarded"});
    std::mt19937 chance(Catch::getSeed());
    auto const begin = std::chrono::steady_clock::now();
    REQUIRE(stage.talk({"connect", "guarded"}, "right-token\n").status == 0);
    auto const whole = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    auto const made = connected(stage.belongings());
    auto const disconnect = [&] { return stage.talk({"chat"}, "disconnect guarded\nyes\nyes\n").status; };
    REQUIRE(disconnect() == 0);
    REQUIRE(as_text(stage.belongings()) == before);
    int undone = 0, kept = 0;
    for (int number = 0; number < 20; ++number) {
        auto const moment = std::uniform_int_distribution<int>(0, static_cast<int>(whole.count()))(chance);
        CAPTURE(number, moment);
        {
            test::Live live(stage, connect);
            live.type("right-token\n");
            ::poll(nullptr, 0, moment);
            live.signal(SIGKILL);
            CHECK(live.end() != -1);
        }
        CHECK(stage.talk({"chat"}, "").status == 0);
        std::string now;
        bool const clear = ConnectStage::soon([&] {
            auto const all = stage.belongings();
            now = as_text(all);
            return now == before || connected(all) == made;
        });
        if (!clear) CHECK(now == before);
        (now == before ? undone : kept) += 1;
        if (now != before) REQUIRE(disconnect() == 0);
    }
    INFO("undone " << undone << ", kept " << kept);
    CHECK(undone > 0);
}
