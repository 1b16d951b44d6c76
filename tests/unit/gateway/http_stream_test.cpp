// Streams: what belongs where, and what a client gets that lost its connection.
#include "support/process.hpp"
#include "unit/gateway/http_world.hpp"

#include <catch2/catch_test_macros.hpp>

using test::call;
using test::has;
using test::HttpAgent;
using test::HttpWorld;

namespace {

std::string notice(int number) {
    return R"({"jsonrpc":"2.0","method":"notifications/message","params":{"number":)" + std::to_string(number) + "}}";
}

std::string question(int id) {
    return R"({"jsonrpc":"2.0","id":"q)" + std::to_string(id) + R"(","method":"elicitation/create","params":{}})";
}

void say(HttpWorld& world, std::string const& message, std::string const& about = {}, bool last = false) {
    world.on_thread([&] { world.last_party()->send(message, about, last); });
}

/// The POST was heard by the party.
bool arrived(HttpWorld& world, std::size_t messages) {
    return world.becomes([&] { return world.last_party()->heard.size() == messages; });
}

} // namespace

TEST_CASE("what is about no request goes to GET's stream") {
    HttpWorld world;
    HttpAgent const client(world);
    auto listener = client.listening();
    auto const head = listener.hear();
    CHECK(head.status == 200);
    CHECK(head.field("content-type") == "text/event-stream");
    auto const primed = listener.event();
    REQUIRE(primed);
    CHECK((!primed->id.empty() && primed->data.empty() && primed->retry == "1000"));
    auto post = client.posting(call("1", "slow"));
    REQUIRE(arrived(world, 2));
    say(world, notice(1));
    CHECK(listener.event()->data == notice(1));
    say(world, notice(2), "1");
    CHECK(post.hear().field("content-type") == "text/event-stream");
    CHECK(post.message()->data == notice(2));
    say(world, notice(3), "77"); // of no request that is known
    CHECK(listener.event()->data == notice(3));
}

TEST_CASE("what is said while nobody listens is kept for the GET that comes") {
    HttpWorld world;
    HttpAgent const client(world);
    for (int i = 0; i < 5; ++i) say(world, notice(i));
    say(world, question(1));
    auto listener = client.listening();
    CHECK(listener.hear().status == 200);
    for (int i = 0; i < 5; ++i) CHECK(listener.message()->data == notice(i));
    CHECK(listener.message()->data == question(1));
    say(world, notice(9));
    CHECK(listener.message()->data == notice(9));
}

TEST_CASE("a second GET takes the place of the first, and nothing is said twice") {
    HttpWorld world;
    HttpAgent const client(world);
    auto first = client.listening();
    CHECK(first.hear().status == 200);
    say(world, notice(1));
    CHECK(first.message()->data == notice(1));
    auto second = client.listening();
    CHECK(second.hear().status == 200);
    CHECK_FALSE(first.message());
    say(world, notice(2));
    CHECK(second.message()->data == notice(2));
}

TEST_CASE("GET's stream is taken up exactly where it was lost") {
    HttpWorld world;
    HttpAgent const client(world);
    std::string last;
    {
        auto listener = client.listening();
        CHECK(listener.hear().status == 200);
        say(world, notice(1));
        last = listener.message()->id;
        say(world, notice(2)); // written, but its client never sees it
    }
    say(world, notice(3));
    auto again = client.listening({{"Last-Event-ID", last}});
    CHECK(again.hear().status == 200);
    auto const two = again.event(), three = again.event();
    REQUIRE((two && three));
    CHECK(two->data == notice(2));
    CHECK(three->data == notice(3));
    CHECK(two->id != three->id);
    say(world, notice(4));
    CHECK(again.message()->data == notice(4));
    auto later = client.listening({{"Last-Event-ID", two->id}});
    CHECK(later.hear().status == 200);
    CHECK(later.message()->data == notice(3));
    CHECK(later.message()->data == notice(4));
}

TEST_CASE("a POST's stream that broke before its answer came is taken up by GET") {
    HttpWorld world;
    HttpAgent const client(world);
    std::string last;
    {
        auto post = client.posting(call("1", "slow"));
        REQUIRE(arrived(world, 2));
        say(world, notice(1), "1");
        CHECK(post.hear().status == 200);
        last = post.message()->id;
    }
    auto listener = client.listening();
    CHECK(listener.hear().status == 200);
    say(world, notice(2), "1");
    auto again = client.listening({{"Last-Event-ID", last}});
    CHECK(again.hear().status == 200);
    CHECK(again.message()->data == notice(2));
    CHECK(world.on_thread([&] { return world.last_party()->heard.size(); }) == 2); // nothing was cancelled
    say(world, notice(3), "1");
    CHECK(again.message()->data == notice(3));
    world.on_thread([&] { world.last_party()->answer("1"); });
    CHECK(has(again.message()->data, "\"answered\":true"));
    CHECK_FALSE(again.message());
    say(world, notice(4));
    CHECK(listener.message()->data == notice(4)); // and nothing of the other stream
}

TEST_CASE("an answer that came meanwhile is there for a client that returns, more than once") {
    HttpWorld world;
    HttpAgent const client(world);
    std::string last;
    {
        auto post = client.posting(call("1", "slow"));
        REQUIRE(arrived(world, 2));
        say(world, notice(1), "1");
        CHECK(post.hear().status == 200);
        last = post.event()->id; // the priming event
    }
    world.on_thread([&] { world.last_party()->answer("1"); });
    for (int i = 0; i < 2; ++i) {
        auto again = client.listening({{"Last-Event-ID", last}});
        CHECK(again.hear().status == 200);
        CHECK(again.message()->data == notice(1));
        CHECK(has(again.message()->data, "\"answered\":true"));
        CHECK_FALSE(again.message());
    }
    CHECK(client.post(call("1", "ping")).status == 200); // the id is free again
}

TEST_CASE("an answer too large to be kept becomes an error that says so") {
    HttpWorld world;
    HttpAgent const client(world);
    std::string last;
    {
        auto post = client.posting(call("1", "slow"));
        REQUIRE(arrived(world, 2));
        say(world, notice(1), "1");
        CHECK(post.hear().status == 200);
        last = post.message()->id;
    }
    // Until it was seen to leave, it may still be written to.
    auto const big = R"({"jsonrpc":"2.0","id":1,"result":")" + std::string(300000, 'x') + "\"}";
    auto listener = client.listening({{"Last-Event-ID", last}});
    CHECK(listener.hear().status == 200);
    listener.close();
    REQUIRE(world.becomes([&] {
        world.last_party()->send(notice(2), "1");
        return world.last_party()->waiting() > 0;
    }));
    say(world, big, "1", true);
    auto again = client.listening({{"Last-Event-ID", last}});
    CHECK(again.hear().status == 200);
    std::string end;
    for (auto event = again.message(); event; event = again.message()) end = event->data;
    CHECK(has(end, "too large to be kept"));
    CHECK(has(end, "\"id\":1"));
}

TEST_CASE("an event id that is none of ours begins a new stream") {
    HttpWorld world;
    HttpAgent const client(world);
    say(world, notice(1));
    for (auto const* const id : {"nonsense", "99-1", "-", "0-99999999999999999999999", "4294967296-1", "0--1", "1"}) {
        auto listener = client.listening({{"Last-Event-ID", id}});
        CHECK(listener.hear().status == 200);
        say(world, notice(2));
        CHECK(listener.message());
    }
}

TEST_CASE("one session's event ids mean nothing in another") {
    HttpWorld world;
    HttpAgent const mine(world);
    for (int i = 0; i < 3; ++i) say(world, notice(i));
    auto listener = mine.listening();
    CHECK(listener.hear().status == 200);
    auto const id = listener.message()->id;
    HttpAgent const other(world);
    auto theirs = other.listening({{"Last-Event-ID", id}});
    CHECK(theirs.hear().status == 200);
    say(world, notice(77));
    CHECK(theirs.message()->data == notice(77));
}

TEST_CASE("the buffer is bounded: the oldest go, requests to the client stay") {
    HttpWorld::Wish wish;
    wish.limits.replay = 2000;
    HttpWorld world(wish);
    HttpAgent const client(world);
    say(world, question(1));
    for (int i = 0; i < 100; ++i) say(world, notice(i));
    CHECK(world.on_thread([&] { return world.last_party()->waiting(); }) < 4000);
    auto listener = client.listening();
    CHECK(listener.hear().status == 200);
    CHECK(listener.message()->data == question(1));
    auto const next = listener.message();
    REQUIRE(next);
    CHECK(next->data != notice(0));
    std::string last = next->data;
    while (last != notice(99)) last = listener.message()->data;
}

TEST_CASE("requests that nobody listens for are refused when there are too many, not lost") {
    HttpWorld::Wish wish;
    wish.limits.requests = 3;
    HttpWorld world(wish);
    HttpAgent const client(world);
    for (int i = 0; i < 4; ++i) say(world, question(i));
    REQUIRE(world.becomes([&] { return world.last_party()->heard.size() == 2; }));
    CHECK(has(world.party()->heard.back(), "\"id\":\"q3\""));
    CHECK(has(world.party()->heard.back(), "does not listen"));
    auto listener = client.listening();
    CHECK(listener.hear().status == 200);
    for (int i = 0; i < 3; ++i) CHECK(listener.message()->data == question(i));
}

TEST_CASE("a message with line breaks in it stays one event") {
    HttpWorld world;
    HttpAgent const client(world);
    auto listener = client.listening();
    CHECK(listener.hear().status == 200);
    say(world, "{\"jsonrpc\":\"2.0\",\r\n\n\"method\":\"x\"}");
    CHECK(listener.message()->data == "{\"jsonrpc\":\"2.0\",   \"method\":\"x\"}");
}

TEST_CASE("a stream shows that it lives") {
    HttpWorld::Wish wish;
    wish.limits.tick = wish.limits.comment = std::chrono::milliseconds(20);
    HttpWorld world(wish);
    HttpAgent const client(world, "2025-06-18");
    auto listener = client.listening();
    CHECK(listener.hear().status == 200);
    for (int i = 0; i < 3; ++i) CHECK_FALSE(listener.event()->comment.empty());
}
