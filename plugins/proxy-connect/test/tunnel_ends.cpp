// How tunnels end when nobody closes them: by time, by a late or missing verdict, by the end of the session.
#include "running_proxy.hpp"

#include <atomic>

namespace pfar::proxy_connect {

using namespace std::chrono_literals;

TEST_CASE("a client that says nothing is disconnected in time") {
    Limits limits;
    limits.header = 30ms;
    RunningProxy proxy(always(allowed_at("127.0.0.1")), limits);
    auto const client = proxy.client();
    client.send("CONNECT a.exam");
    CHECK(client.ended());
    proxy.stop();
    CHECK(proxy.records() == 0); // it asked for nothing
}

TEST_CASE("an idle tunnel is closed on both sides") {
    Listening world;
    Limits limits;
    limits.idle = 30ms;
    RunningProxy proxy(always(allowed_at("127.0.0.1")), limits);
    auto const client = proxy.tunnel_to(world.port());
    auto const server = world.accept();
    CHECK(client.ended());
    CHECK(server.ended());
    CHECK(proxy.record().ended == "idle");
}

TEST_CASE("a decision that never comes is a refusal, and one that comes too late changes nothing") {
    Limits limits;
    limits.decision = 30ms;
    std::function<void(Verdict)> late;
    RunningProxy proxy([&](Destination const&, std::function<void(Verdict)> answer) { late = std::move(answer); },
                       limits);
    auto const client = proxy.client();
    client.send("CONNECT a.example:443 HTTP/1.1\r\n\r\n");
    client.half_close();
    CHECK(client.receive_all().starts_with("HTTP/1.1 504 "));
    auto const record = proxy.record();
    CHECK((!record.allowed && record.ended == "undecided"));
    proxy.on_executor([&] { late(allowed_at("127.0.0.1")); });
    proxy.on_executor([&] { late = nullptr; });
    CHECK(proxy.records() == 0);
}

TEST_CASE("a decision may come later, and the second answer does not count") {
    Listening world;
    std::promise<std::function<void(Verdict)>> asked;
    RunningProxy proxy(
        [&](Destination const&, std::function<void(Verdict)> answer) { asked.set_value(std::move(answer)); });
    auto const client = proxy.client();
    client.send("CONNECT a.example:" + std::to_string(world.port()) + " HTTP/1.1\r\n\r\n");
    auto const answer = asked.get_future().get();
    proxy.on_executor([&] {
        answer(allowed_at("127.0.0.1"));
        answer(Verdict{});
    });
    CHECK(client.receive(established.size()) == established);
}

TEST_CASE("destroying the session ends an open tunnel and is followed by nothing but its record") {
    Listening world;
    RunningProxy proxy;
    auto const client = proxy.tunnel_to(world.port());
    auto const server = world.accept();
    client.send("x");
    CHECK(server.receive(1) == "x");
    proxy.stop();
    CHECK(client.ended());
    CHECK(server.ended());
    proxy.on_executor([] {}); // whatever was still to run has run
    CHECK(proxy.records() == 1);
    auto const record = proxy.record();
    CHECK((record.allowed && record.ended == "stopped" && record.sent == 1));
}

TEST_CASE("destroying the session ends a tunnel in every other phase too") {
    std::atomic<int> asked = 0;
    std::promise<void> waiting;
    std::function<void(Verdict)> kept;
    RunningProxy proxy([&](Destination const&, std::function<void(Verdict)> answer) {
        kept = std::move(answer);
        if (++asked == 1) waiting.set_value();
    });
    auto const undecided = proxy.client();
    undecided.send("CONNECT a.example:443 HTTP/1.1\r\n\r\n");
    waiting.get_future().get();
    auto const silent = proxy.client();
    silent.send("CONNECT b.example:443 HTTP/1.1\r\n");
    proxy.stop();
    CHECK(undecided.ended());
    CHECK(silent.ended());
    proxy.on_executor([&] { kept(allowed_at("127.0.0.1")); });
    proxy.on_executor([&] { kept = nullptr; });
    CHECK(asked == 1);
    CHECK(proxy.records() == 0);
}

TEST_CASE("a request that has arrived but was not read when the session ends is not asked about") {
    std::atomic<int> asked = 0;
    RunningProxy proxy([&](Destination const&, std::function<void(Verdict)> const&) { ++asked; });
    auto const client = proxy.client();
    client.send("CONNECT a.example:443 ");
    proxy.on_executor([&] {
        client.send("HTTP/1.1\r\n\r\n");
        proxy.stop_here();
    });
    CHECK(client.ended());
    proxy.on_executor([] {});
    CHECK(asked == 0);
    CHECK(proxy.records() == 0);
}

TEST_CASE("a client that vanishes takes its tunnel with it") {
    Listening world;
    RunningProxy proxy;
    std::optional<Peer> client = proxy.tunnel_to(world.port());
    auto const server = world.accept();
    client.reset();
    CHECK(server.ended());
    server.half_close();
    CHECK(proxy.record().allowed);
    CHECK(proxy.tunnels() == 0);
}

} // namespace pfar::proxy_connect
