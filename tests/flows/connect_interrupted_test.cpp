// Whoever presses Ctrl-C means what is going on now: that ends soon and is undone, and a chat goes on. A slip of the keys is no Ctrl-C.
#include "flows/connect_stage.hpp"

#include <catch2/catch_test_macros.hpp>

#include <csignal>

using test::as_text;
using test::ConnectStage;
using test::end_at_last;
using test::has;
using test::says_at_last;

namespace {

constexpr auto ctrl_c = "\x03";
constexpr auto question = "Shall it go on?: ";

/// With a flow of the owner's own that asks one thing, and a package registry where "slow" never comes to its end.
class AskerStage : public ConnectStage {
public:
    AskerStage() : ConnectStage(test::people().back()) {
        write("home/.pfar/scripts/flows/asker.lua",
              "ask { name = \"on\", prompt = \"Shall it go on?\" }\nreport(\"it went on\")\n", 0600);
    }
};

/// True once npm waits for its package, after so much of the registry's log.
bool waits_for_package(test::InstallStage const& registry, std::size_t after) {
    return ConnectStage::soon([&] { return registry.log().find("/slow/-/", after) != std::string::npos; }, 100);
}

} // namespace

TEST_CASE("Ctrl-C during an install ends it soon and undoes everything, and a chat goes on") {
    NEEDS_NPM();
    AskerStage const stage;
    test::InstallStage const registry(stage.setting());
    registry.npmrc();
    stage.write("home/.npmrc", test::read(registry.home() / ".npmrc"), 0600);
    auto const before = as_text(stage.belongings());
    {
        test::Live connect(stage, stage.words({"connect", "npm:slow"}));
        connect.type("\n\n");
        REQUIRE(waits_for_package(registry, 0));
        connect.signal(SIGINT);
        CHECK(connect.end() == 77); // within 10 s
        CHECK(has(connect.heard(), "Cancelled.\n"));
        CHECK(as_text(stage.belongings()) == before);
    }
    auto const log = registry.log().size();
    test::Live chat(stage, stage.words({"chat"}), test::Live::On::terminal);
    REQUIRE(says_at_last(chat, "> "));
    chat.type("connect npm:slow\n");
    REQUIRE(says_at_last(chat, "Which domains"));
    chat.type("\n");
    REQUIRE(says_at_last(chat, "Which environment variables"));
    chat.type("\n");
    REQUIRE(waits_for_package(registry, log));
    chat.forget();
    chat.type(ctrl_c);
    CHECK(chat.says("Cancelled.\r\n"));
    REQUIRE(chat.says("> "));
    CHECK(as_text(stage.belongings()) == before);
    chat.type("connect asker\n");
    REQUIRE(says_at_last(chat, question)); // every later verb would be cancelled, too
    chat.type("yes\n");
    REQUIRE(says_at_last(chat, "it went on\r\n> "));
    chat.type("quit\n");
    CHECK(end_at_last(chat) == 0);
}

TEST_CASE("Ctrl-C at a question of a chat ends that conversation, and at its prompt the chat") {
    AskerStage const stage;
    test::Live chat(stage, stage.words({"chat"}), test::Live::On::terminal);
    REQUIRE(says_at_last(chat, "> "));
    for (int number = 0; number < 2; ++number) {
        CAPTURE(number);
        chat.type("connect asker\n");
        REQUIRE(says_at_last(chat, question));
        chat.forget();
        chat.type(ctrl_c);
        REQUIRE(says_at_last(chat, "Cancelled.\r\n"));
        REQUIRE(chat.says("> "));
        chat.forget();
    }
    chat.type("connect asker\n");
    REQUIRE(says_at_last(chat, question));
    chat.type("yes\n");
    REQUIRE(says_at_last(chat, "it went on\r\n> "));
    chat.type(ctrl_c);
    CHECK(end_at_last(chat) == 0);
}

TEST_CASE("SIGTERM at a question of a chat ends the chat, too") {
    AskerStage const stage;
    test::Live chat(stage, stage.words({"chat"}));
    chat.type("connect asker\n");
    REQUIRE(says_at_last(chat, "Shall it go on?\n"));
    chat.signal(SIGTERM);
    CHECK(end_at_last(chat) == 77);
    CHECK(has(chat.heard(), "Cancelled.\n"));
}

TEST_CASE("a slip at the hidden question is told, and asked for again") {
    ConnectStage const stage(test::people().back());
    test::Live live(stage, stage.words({"connect", "guarded"}), test::Live::On::terminal);
    for (std::string const slip : {"\x1b[A", "right-tok\nen-of-two-lines\n"}) {
        REQUIRE(says_at_last(live, "(not shown): "));
        REQUIRE(ConnectStage::soon([&] { return (live.modes().c_lflag & ECHO) == 0; }));
        live.forget();
        live.type(slip);
        REQUIRE(live.says(slip.front() == 'r' ? "more than one line" : "such as an arrow"));
    }
    REQUIRE(says_at_last(live, "(not shown): "));
    live.type("right-token\r");
    CHECK(end_at_last(live) == 0);
    CHECK(has(live.heard(), "Guarded is connected"));
    CHECK_FALSE(has(live.heard(), "right-tok"));
}

TEST_CASE("with --json stdout has nothing but the JSON, at a terminal too") {
    AskerStage const stage;
    auto const file = stage.make("given") / "out.json";
    std::vector<std::string> words{"/bin/sh", "-c", "out=$1; shift; exec \"$@\" > \"$out\"", "sh", file.native()};
    for (auto const& word : stage.words({"connect", "asker", "--json"})) words.push_back(word);
    test::Live live(stage, words, test::Live::On::terminal);
    REQUIRE(says_at_last(live, question));
    live.type("yes\n");
    CHECK(end_at_last(live) == 0);
    CHECK(has(live.heard(), "it went on"));
    boost::system::error_code bad;
    auto const outcome = boost::json::parse(test::read(file), bad);
    INFO(test::read(file));
    REQUIRE_FALSE(bad);
    CHECK(outcome.at("outcome") == "done");
}
