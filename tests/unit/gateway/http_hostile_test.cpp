// Clients that mean harm, each beside a good one that must not notice.
#include "support/process.hpp"
#include "unit/gateway/http_world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/socket.h>

#include <random>

using std::chrono::milliseconds;
using test::agent;
using test::call;
using test::has;
using test::HttpAgent;
using test::HttpTalk;
using test::HttpWorld;
using test::poster;
using test::request_text;

namespace {

/// Deadlines that a test can wait for.
HttpWorld::Wish hasty() {
    HttpWorld::Wish out;
    out.limits.tick = milliseconds(10);
    out.limits.head_time = out.limits.idle = out.limits.body_pause = out.limits.unread = milliseconds(150);
    out.limits.penance = milliseconds(1);
    out.limits.linger = milliseconds(100);
    return out;
}

std::string half_post(HttpAgent const& client, std::size_t announced, std::string const& sent) {
    auto text = request_text("POST", "/mcp", poster(client.fields({{"Content-Length", std::to_string(announced)}})));
    text.erase(text.find("Content-Length: 0\r\n"), 19);
    return text + sent;
}

} // namespace

TEST_CASE("half a head is given its time, and an answer") {
    HttpWorld world(hasty());
    HttpAgent const good(world);
    std::vector<HttpTalk> slow;
    for (int i = 0; i < 24; ++i) {
        slow.push_back(world.talk());
        slow.back().say("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Sl");
    }
    CHECK(good.post(call("1", "ping")).status == 200);
    for (auto& talk : slow) {
        CHECK(talk.hear().status == 408);
        CHECK(talk.ended());
    }
}

TEST_CASE("a head that arrives byte by byte does not get more time for it") {
    HttpWorld world(hasty());
    auto talk = world.talk();
    bool taken = true;
    for (int i = 0; i < 3000 && taken; ++i) {
        taken = talk.say(i == 0 ? "GET / HTTP/1.1\r\nX: " : "a");
        std::this_thread::sleep_for(milliseconds(1));
    }
    CHECK_FALSE(taken);
}

TEST_CASE("a connection on which nothing is said is closed") {
    HttpWorld world(hasty());
    auto fresh = world.talk(), used = world.talk();
    used.say(request_text("GET", "/health", {}));
    CHECK(used.hear().status == 200);
    CHECK(fresh.ended());
    CHECK(used.ended());
}

TEST_CASE("a body that stops arriving is given its time, and so is one that trickles") {
    auto wish = hasty();
    wish.limits.body_time = milliseconds(400);
    HttpWorld world(wish);
    HttpAgent const client(world);
    auto stuck = world.talk();
    stuck.say(half_post(client, 1000, "{\"json"));
    CHECK(stuck.hear().status == 408);
    CHECK(stuck.ended());
    auto trickle = world.talk();
    trickle.say(half_post(client, 100000, ""));
    bool taken = true;
    for (int i = 0; i < 3000 && taken; ++i) {
        taken = trickle.say(" ");
        std::this_thread::sleep_for(milliseconds(2));
    }
    CHECK_FALSE(taken);
    CHECK(world.sessions() == 1);
}

TEST_CASE("a client that never reads is cut off, and its session goes on") {
    HttpWorld world(hasty());
    HttpAgent const client(world);
    auto talk = client.posting(call("1", "big", R"({"bytes":8000000})"));
    CHECK(world.becomes([&] { return world.last_party()->heard.size() == 2; }));
    CHECK(world.becomes([&] { return world.last_party()->waiting() == 0; })); // what waited is gone with the connection
    CHECK(client.post(call("1", "ping")).status == 200);
}

TEST_CASE("more than a session may have waiting cuts off the connection that does not read") {
    HttpWorld::Wish wish;
    wish.limits.waiting = 4 << 20;
    HttpWorld world(wish);
    HttpAgent const client(world);
    auto listener = client.listening();
    CHECK(listener.hear().status == 200);
    auto const notice = R"({"jsonrpc":"2.0","method":"x","params":{"text":")" + std::string(100000, 'x') + "\"}}";
    std::size_t most = 0;
    for (int i = 0; i < 200; ++i)
        world.on_thread([&] {
            world.last_party()->send(notice);
            most = std::max(most, world.last_party()->waiting());
        });
    CHECK(most < (5 << 20));
    CHECK(world.on_thread([&] { return world.last_party()->waiting(); }) < (1 << 20));
    CHECK(client.post(call("1", "ping")).status == 200);
}

TEST_CASE("what waits for all clients together is bounded, and the worst goes first") {
    HttpWorld::Wish wish;
    wish.limits.all_waiting = 10 << 20;
    HttpWorld world(wish);
    HttpAgent const modest(world);
    auto const party = world.party();
    auto small = modest.posting(call("1", "big", R"({"bytes":3000000})"));
    REQUIRE(world.becomes([&] { return party->heard.size() == 2; }));
    HttpAgent const greedy(world);
    std::vector<HttpTalk> unread;
    for (int i = 0; i < 4; ++i)
        unread.push_back(greedy.posting(call(std::to_string(i), "big", R"({"bytes":8000000})")));
    REQUIRE(world.becomes([&] { return world.last_party()->heard.size() == 5; }));
    CHECK(world.on_thread([&] { return party->waiting() + world.last_party()->waiting(); }) <= (10 << 20));
    CHECK(small.hear().body.size() > 3000000);
}

TEST_CASE("bodies that arrive together are bounded, and the slowest goes first") {
    HttpWorld::Wish wish;
    wish.limits.bodies = 1 << 20;
    wish.limits.penance = milliseconds(1);
    HttpWorld world(wish);
    HttpAgent const client(world);
    std::vector<HttpTalk> slow;
    for (int i = 0; i < 4; ++i) {
        slow.push_back(world.talk());
        slow.back().say(half_post(client, 1000000, std::string(400000, ' ')));
        // the next begins once this one is in
        CHECK(world.ask("GET", "/health", {}).status == 200);
    }
    CHECK(slow[0].hear().status == 503);
    std::string const padding(300000, ' ');
    CHECK(client.post(padding + call("1", "ping")).status == 200);
}

TEST_CASE("deep JSON, a hundred thousand ids and long ones are refused in words") {
    HttpWorld world;
    HttpAgent const client(world, "2025-03-26");
    std::string const deep(5000000, '[');
    CHECK(client.post(deep).status == 400);
    CHECK(client
              .post(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":)" + std::string(100000, '[') +
                    std::string(100000, ']') + "}}")
              .status == 400);
    std::string many = "[" + call("0", "ping");
    for (int i = 1; i < 100000; ++i) many += "," + call(std::to_string(i), "ping");
    CHECK(client.post(many + "]").status == 400);
    CHECK(client.post(call("\"" + std::string(100000, 'i') + "\"", "ping")).status == 400);
    CHECK(client.post("[" + call("1", "ping") + "," + call("1", "ping") + "]").status == 400);
    CHECK(world.party()->heard.size() == 1);
    CHECK(client.post(call("1", "ping")).status == 200);
}

TEST_CASE("ten thousand requests leave nothing behind") {
    HttpWorld world;
    HttpAgent const client(world);
    auto talk = world.talk();
    std::thread writer([&] {
        for (int i = 0; i < 10000; ++i)
            talk.say(request_text("POST", "/mcp", poster(client.fields()), call(std::to_string(i), "ping")));
    });
    auto reader = [&] {
        for (int i = 0; i < 10000; ++i)
            if (talk.hear().status != 200) return false;
        return true;
    };
    CHECK(reader());
    writer.join();
    CHECK(world.on_thread([&] { return world.last_party()->waiting(); }) == 0);
}

TEST_CASE("wrong session ids find nothing, however many there are") {
    auto wish = hasty();
    HttpWorld world(wish);
    HttpAgent const good(world);
    for (int i = 0; i < 300; ++i)
        CHECK(world.ask("POST", "/mcp", poster({{"Mcp-Session-Id", std::to_string(i)}}), call("1", "ping")).status ==
              404);
    for (auto const& id : {good.id.substr(1), good.id + "0", std::string(10000, 'a'), std::string("../") + good.id})
        CHECK(world.ask("POST", "/mcp", poster({{"Mcp-Session-Id", id}}), call("1", "ping")).status == 404);
    CHECK(good.post(call("1", "ping")).status == 200);
}

TEST_CASE("nothing that is smuggled behind a refused request is served") {
    HttpWorld world;
    HttpAgent const client(world);
    auto const hidden = request_text("POST", "/mcp", poster(client.fields()), call("66", "ping"));
    for (auto const* const fields :
         {"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 0\r\nContent-Length: 9\r\n",
          "Transfer-Encoding: chunked\r\nX: a\r\n folded\r\n", "Transfer-Encoding: gzip\r\n"}) {
        auto talk = world.talk();
        talk.say(std::string("POST /mcp HTTP/1.1\r\nHost: localhost\r\n") + fields + "\r\n0\r\n\r\n" + hidden);
        CHECK(talk.hear().status == 400);
        CHECK(talk.hear().status == 0);
    }
    CHECK(world.party()->heard.size() == 1);
}

TEST_CASE("heads that are too large are refused without waiting for their end") {
    HttpWorld world;
    auto talk = world.talk();
    talk.say("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(100000, 'a'));
    CHECK(talk.hear().status == 431);
    CHECK(talk.ended());
    auto large = world.talk();
    large.say(request_text("POST", "/mcp", poster({{"Content-Length", "17000000"}})).replace(0, 0, ""));
    CHECK(large.hear().status == 400); // two lengths
    HttpAgent const client(world);
    auto huge = world.talk();
    huge.say(half_post(client, 18000000, ""));
    CHECK(huge.hear().status == 413);
}

TEST_CASE("when there are too many connections, those go that nobody needs") {
    auto wish = hasty();
    wish.limits.connections = 12;
    wish.limits.head_time = wish.limits.idle = std::chrono::minutes(5);
    HttpWorld world(wish);
    HttpAgent const good(world);
    auto listener = good.listening();
    CHECK(listener.hear().status == 200);
    auto post = good.posting(call("1", "slow"));
    REQUIRE(world.becomes([&] { return world.last_party()->heard.size() == 2; }));
    std::vector<HttpTalk> crowd;
    for (int i = 0; i < 60; ++i) {
        crowd.push_back(world.talk());
        crowd.back().say(i % 2 == 0 ? "GET / HT" : "");
        if (i % 10 == 0) CHECK(good.post(call("\"p\"", "ping")).status == 200);
    }
    world.on_thread([&] {
        world.last_party()->answer("1");
        world.last_party()->send(R"({"jsonrpc":"2.0","method":"still/there"})");
    });
    CHECK(post.hear().status == 200);
    CHECK(has(listener.message()->data, "still/there"));
}

TEST_CASE("what is said on a connection with an open stream waits, and costs nothing") {
    HttpWorld world;
    HttpAgent const client(world);
    auto listener = client.listening();
    CHECK(listener.hear().status == 200);
    std::thread flood([&] {
        timeval const patience{1, 0};
        ::setsockopt(listener.descriptor(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        listener.say(std::string(4 << 20, 'x'));
    });
    for (int i = 0; i < 20; ++i) CHECK(client.post(call(std::to_string(i), "ping")).status == 200);
    flood.join();
    world.on_thread([&] { world.last_party()->send(R"({"jsonrpc":"2.0","method":"still/there"})"); });
    CHECK(has(listener.message()->data, "still/there"));
}

TEST_CASE("clients that leave at any moment leave nothing behind") {
    HttpWorld world(hasty());
    HttpAgent const client(world);
    auto const text = request_text("POST", "/mcp", poster(client.fields()), call("1", "noisy"));
    for (std::size_t cut = 1; cut <= text.size(); cut += 3) {
        auto talk = world.talk();
        talk.say(text.substr(0, cut));
    }
    for (int i = 0; i < 50; ++i) client.listening();
    CHECK(client.post(call("2", "ping")).status == 200);
    CHECK(world.becomes([&] { return world.last_party()->waiting() == 0; }));
}

TEST_CASE("requests with random faults are answered or refused, and the next client is served") {
    HttpWorld world(hasty());
    HttpAgent const client(world);
    std::mt19937 random(7);
    auto const text =
        request_text("POST", "/mcp", poster(client.fields({{"Transfer-Encoding", "chunked"}})), call("1", "ping"));
    for (int i = 0; i < 400; ++i) {
        auto bad = text;
        for (auto faults = 1 + random() % 4; faults > 0; --faults) {
            auto const at = random() % bad.size();
            if (random() % 3 == 0)
                bad.erase(at, random() % 20);
            else if (random() % 2 == 0)
                bad[at] = static_cast<char>(random());
            else
                bad.insert(at, bad.substr(random() % bad.size(), random() % 40));
        }
        auto talk = world.talk();
        talk.say(bad);
    }
    CHECK(client.post(call("2", "ping")).status == 200);
}
