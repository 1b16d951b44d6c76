// From nothing to a tool's answer: a real server from the real registry, connected by a script and by a person at a terminal. Both are told the same.
#include "flows/connect_stage.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>

using test::as_seen;
using test::ConnectStage;
using test::end_at_last;
using test::has;
using test::says_at_last;

namespace {

constexpr auto golden = PFAR_SOURCE "/tests/flows/everything.txt";

void check_words(std::string const& words) {
    if (std::getenv("PFAR_ACCEPT") != nullptr) std::ofstream(golden) << words;
    CHECK(words == test::read(golden));
}

void check_call(ConnectStage const& stage) {
    auto const called = stage.pfar({"call", "everything.echo", "message=hi"});
    INFO(called.err);
    CHECK(called.status == 0);
    CHECK(called.out == "Echo: hi\n");
}

} // namespace

TEST_CASE("everything is connected by a script, and answers") {
    NEEDS_NPM();
    ConnectStage const stage(test::people().front());
    auto const end = stage.talk({"connect", "everything"}, "");
    if (has(end.out, "cannot be reached")) SKIP("npm's registry cannot be reached");
    INFO(end.err);
    REQUIRE(end.status == 0);
    check_words(end.out);
    check_call(stage);
}

TEST_CASE("everything is connected at a terminal by an ordinary user, and answers") {
    NEEDS_NPM();
    ConnectStage stage(test::people().back());
    stage.environment.emplace_back("TERM=xterm");
    test::Live connect(stage, stage.words({"connect", "everything"}), test::Live::On::terminal);
    auto const code = end_at_last(connect);
    auto const seen = as_seen(connect.heard());
    if (has(seen, "cannot be reached")) SKIP("npm's registry cannot be reached");
    INFO(seen);
    REQUIRE(code == 0);
    CHECK(has(connect.heard(), "starting everything...")); // and it is gone from what is seen
    check_words(seen);
    check_call(stage);

    test::Live chat(stage, stage.words({"chat"}), test::Live::On::terminal);
    REQUIRE(says_at_last(chat, "> "));
    chat.type("connect everything\n");
    REQUIRE(says_at_last(chat, "Your choice [keep it as it is]: "));
    chat.forget();
    chat.type("1\n");
    REQUIRE(says_at_last(chat, "stays as it is.\r\n> "));
    chat.type("quit\n");
    CHECK(end_at_last(chat) == 0);
}
