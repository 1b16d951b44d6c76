// Requests and answers with a peer that says what it likes.
#include "unit/wire/peer_stage.hpp"

#include <catch2/catch_test_macros.hpp>

using pfar::wire::Reply;
using test::PeerStage;

TEST_CASE("an answer reaches whoever asked, in whatever order they come") {
    PeerStage stage;
    REQUIRE(stage.ask("first", "{}").value() == 1);
    REQUIRE(stage.ask("second", "").value() == 2);
    CHECK(stage.sent() == "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"first\",\"params\":{}}\n"
                          "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"second\"}\n");
    stage.say(R"({"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"no"}})");
    stage.say(R"({"jsonrpc":"2.0","id":1,"result":{"a":1}})");
    REQUIRE(stage.until([&] { return stage.replies.size() == 2; }));
    CHECK(stage.replies ==
          std::vector<std::string>{R"(second: error {"code":1,"message":"no"})", R"(first: result {"a":1})"});
    CHECK(stage.peer->asked() == 0);
    CHECK(stage.troubles.empty());
}

TEST_CASE("answers to nothing, of unknown ids, twice or under another type of id are told and survived") {
    PeerStage stage;
    REQUIRE(stage.ask("m", ""));
    stage.say(R"({"jsonrpc":"2.0","id":99,"result":1})");
    stage.say(R"({"jsonrpc":"2.0","id":"1","result":1})");
    stage.say(R"({"jsonrpc":"2.0","id":-1,"result":1})");
    stage.say(R"({"jsonrpc":"2.0","id":18446744073709551617,"result":1})"); // 1 modulo 2^64
    stage.say(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}})");
    stage.say(R"({"jsonrpc":"2.0","id":1.0,"result":1})");
    stage.say(R"({"jsonrpc":"2.0","id":1,"result":"right"})");
    stage.say(R"({"jsonrpc":"2.0","id":1,"result":"again"})");
    REQUIRE(stage.until([&] { return stage.troubles.size() == 7; }));
    CHECK(stage.replies == std::vector<std::string>{R"(m: result "right")"});
    CHECK(stage.peer->troubles() == 7);
    CHECK(stage.troubles[0] == "an answer to 99, which nobody asked");
    CHECK(stage.troubles[1] == "an answer to \"1\", which nobody asked");
}

TEST_CASE("garbage between the lines is told and survived") {
    PeerStage stage;
    REQUIRE(stage.ask("m", ""));
    stage.say("Welcome to the server!\x1b[31m");
    stage.say("\xff\xfe\xfd");
    stage.say(std::string("\0\0\0", 3));
    stage.say(std::string(100'000, '['));
    stage.say("");
    stage.say(R"([{"jsonrpc":"2.0","id":1,"result":2},3])");
    REQUIRE(stage.until([&] { return stage.replies.size() == 1 && stage.troubles.size() == 5; }));
    CHECK(stage.troubles[0].find("Welcome to the server!") != std::string::npos);
    CHECK(stage.troubles[0].find('\x1b') == std::string::npos);
    for (auto const& trouble : stage.troubles) CHECK(trouble.size() < 800);
}

TEST_CASE("its requests are answered under the ids it gave, once") {
    PeerStage stage;
    stage.say(R"({"jsonrpc":"2.0","id":"a b","method":"one"})");
    stage.say(R"({"jsonrpc":"2.0","id":5,"method":"two","params":{"x":1}})");
    REQUIRE(stage.until([&] { return stage.requests.size() == 2; }));
    CHECK(stage.requests == std::vector<std::string>{R"("a b" one )", R"(5 two {"x":1})"});
    stage.peer->answer("5", "{}");
    stage.peer->answer("5", R"({"again":true})");
    stage.peer->refuse(R"("a b")", -32601, "no \"such\" thing");
    stage.peer->refuse(R"("a b")", R"({"code":1})");
    stage.peer->answer("77", "{}");
    CHECK(stage.sent() ==
          "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\n"
          "{\"jsonrpc\":\"2.0\",\"id\":\"a b\",\"error\":{\"code\":-32601,\"message\":\"no \\\"such\\\" thing\"}}\n");
}

TEST_CASE("a second request under an id that waits is refused, and the first is answered") {
    PeerStage stage;
    stage.say(R"({"jsonrpc":"2.0","id":1,"method":"one"})");
    stage.say(R"({"jsonrpc":"2.0","id":1,"method":"two"})");
    REQUIRE(stage.until([&] { return stage.troubles.size() == 1; }));
    CHECK(stage.requests.size() == 1);
    CHECK(stage.sent().find("-32600") != std::string::npos);
    stage.peer->answer("1", "1");
    CHECK(stage.sent() == "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n");
    stage.say(R"({"jsonrpc":"2.0","id":1,"method":"three"})"); // answered, so it is free again
    REQUIRE(stage.until([&] { return stage.requests.size() == 2; }));
}

TEST_CASE("what nobody waits for any more comes late without trouble, once") {
    PeerStage stage;
    auto const number = stage.ask("m", "").value();
    stage.peer->forget(number);
    stage.peer->forget(number);
    stage.peer->forget(4711);
    CHECK(stage.peer->asked() == 0);
    stage.say(R"({"jsonrpc":"2.0","id":1,"result":1})");
    stage.say(R"({"jsonrpc":"2.0","id":1,"result":1})");
    stage.say(R"({"jsonrpc":"2.0","method":"mark"})");
    REQUIRE(stage.until([&] { return stage.notifications.size() == 1; }));
    CHECK(stage.replies.empty());
    CHECK(stage.troubles.size() == 1); // the second one
}

TEST_CASE("when it ends, all that was asked is lost at once, once each, and nothing more can be asked") {
    PeerStage stage;
    for (int i = 0; i < 100; ++i) REQUIRE(stage.ask("m" + std::to_string(i), ""));
    stage.say(R"({"jsonrpc":"2.0","id":1,"result":1})");
    stage.far.write(R"({"jsonrpc":"2.0","id":2,"re)");
    stage.far.close();
    REQUIRE(stage.until([&] { return stage.ended == 1; }));
    CHECK(stage.replies.size() == 100);
    CHECK(stage.replies[0] == "m0: result 1");
    CHECK(stage.replies[99] == "m99: lost it ended");
    CHECK(stage.troubles == std::vector<std::string>{"it ended in the middle of a line"});
    CHECK_FALSE(stage.ask("more", ""));
    CHECK_FALSE(stage.peer->tell("more", ""));
    CHECK(stage.peer->asked() == 0);
}

TEST_CASE("who is told of a loss may forget the others, who then hear nothing") {
    PeerStage stage;
    std::uint64_t second = 0;
    int heard = 0;
    auto& peer = *stage.peer;
    REQUIRE(peer.ask("a", "", [&](Reply const&) { ++heard, peer.forget(second); }));
    second = peer.ask("b", "", [&](Reply const&) { heard += 100; }).value();
    SECTION("because it ended") {
        stage.far.close();
        REQUIRE(stage.until([&] { return stage.ended == 1; }));
    }
    SECTION("because it was closed") {
        peer.close(pfar::fail(pfar::Errc::unavailable, "enough"));
    }
    CHECK(heard == 1);
}

TEST_CASE("closing it answers everybody with the reason and hears nothing more") {
    PeerStage stage;
    REQUIRE(stage.ask("m", ""));
    stage.say(R"({"jsonrpc":"2.0","id":1,"result":1})");
    stage.peer->close(pfar::fail(pfar::Errc::unavailable, "the server is being restarted"));
    CHECK(stage.replies == std::vector<std::string>{"m: lost the server is being restarted"});
    test::turn(stage.context);
    CHECK(stage.replies.size() == 1);
    CHECK(stage.ended == 0);
    CHECK(stage.far.read_some().size() > 10);
    CHECK(stage.far.sees_end());
}

TEST_CASE("what is cleaned before it is heard is heard clean") {
    PeerStage stage(pfar::wire::PeerLimits{}, [](std::string_view line) -> std::optional<std::string> {
        if (line.find("secret") == std::string_view::npos) return {};
        return R"({"jsonrpc":"2.0","method":"cleaned"})";
    });
    stage.say(R"({"jsonrpc":"2.0","method":"secret"})");
    stage.say(R"({"jsonrpc":"2.0","method":"plain"})");
    REQUIRE(stage.until([&] { return stage.notifications.size() == 2; }));
    CHECK(stage.notifications == std::vector<std::string>{"cleaned", "plain"});
}

TEST_CASE("a peer that is gone while something is under way leaves nothing behind") {
    boost::asio::io_context context; // ASan is the judge
    for (int i = 0; i < 20; ++i) {
        test::FarEnd far;
        auto peer = std::make_unique<pfar::wire::Peer>(context.get_executor(), far.open(test::Over::socket));
        peer->start({[](auto const&) {}, [](auto const&) {}, [](auto const&) {}, [] {}, {}});
        static_cast<void>(peer->ask("m", "\"" + std::string(1U << 20U, 'x') + "\"", [](Reply const&) {}));
        far.write(R"({"jsonrpc":"2.0","id":1,"method":"x"})"
                  "\n");
        if (i % 2 == 0) context.poll(), context.restart();
        if (i % 4 < 2) far.close();
        peer.reset();
    }
    test::turn(context);
}
