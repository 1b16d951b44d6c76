// Answers that come before the request's body has been sent: what is still on its way must be neither lost nor taken for a request.
#include "plain_requests.hpp"

namespace pfar::proxy_connect {

namespace {

std::string post(std::uint16_t port, std::size_t length) {
    auto const place = "127.0.0.1:" + std::to_string(port);
    return "POST http://" + place + "/ HTTP/1.1\r\nHost: " + place + "\r\nContent-Length: " + std::to_string(length) +
           "\r\n\r\n";
}

Verdict loopback_itself() {
    auto verdict = allowed_at("127.0.0.1");
    verdict.name = "127.0.0.1";
    verdict.is_address = true;
    return verdict;
}

/// Sends from a thread of its own: nobody reads it for a while.
struct Sending {
    Sending(Peer const& peer, std::string bytes) : thread([&peer, text = std::move(bytes)] { peer.send(text); }) {}
    std::jthread thread;
};

} // namespace

TEST_CASE("a body that waits behind a full pipe is not taken for the next request, and arrives as it was") {
    Listening world;
    RunningProxy proxy(always(loopback_itself()));
    auto const client = proxy.client();
    constexpr std::size_t size = std::size_t{24} << 20U; // more than all the buffers on the way hold
    std::string const trap = "GET http://127.0.0.1:1/trap HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n";
    std::string body;
    while (body.size() < size) body += trap;
    body.resize(size);
    std::optional<Peer> server;
    std::string heard;
    {
        Sending const sending(client, post(world.port(), size) + body);
        server.emplace(world.accept());
        server->send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"); // before a byte of the body was read
        CHECK(client.receive(40) == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        heard = server->receive(size + 200);
    }
    auto const begin = heard.find("\r\n\r\n");
    REQUIRE(begin != std::string::npos);
    auto const arrived = heard.substr(begin + 4);
    CHECK(body.starts_with(arrived)); // all of it, or cut short when patience ended; never anything else
    CHECK_FALSE(client.receive_all().starts_with("HTTP/1.1 4"));
}

TEST_CASE("an answer that ends with its connection ends the client's, though the body is not through") {
    Listening world;
    RunningProxy proxy(always(loopback_itself()));
    auto const client = proxy.client();
    constexpr std::size_t size = std::size_t{24} << 20U;
    Sending const sending(client, post(world.port(), size) + std::string(size, 'x'));
    {
        auto const server = world.accept();
        server.send("HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\nno");
        server.half_close();
        CHECK(client.receive(47) == "HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\nno");
        CHECK(client.ended());
    }
}

TEST_CASE("an answer and the client's end in the same turn end the connection") {
    Asked exchange("POST", "Content-Length: 10\r\n");
    exchange.client.send("abc");
    CHECK(exchange.origin->receive(3) == "abc");
    for (int turns = 0; turns < 8; ++turns) exchange.proxy.on_executor([] {}); // the upload waits again
    exchange.proxy.on_executor([&] {
        exchange.origin->send(nothing_to_say);
        exchange.client.half_close();
    });
    CHECK(exchange.proxy.record().ended == "cut short");
}

TEST_CASE("clients that have gone make room within the time that a request may take") {
    Listening world;
    Limits limits;
    limits.tunnels = 4;
    limits.header = std::chrono::milliseconds(200);
    RunningProxy proxy(always(loopback_itself()), limits);
    std::vector<Peer> mute;
    for (int i = 0; i < 4; ++i) {
        auto const client = proxy.client();
        client.send("GET http://127.0.0.1:" + std::to_string(world.port()) +
                    "/ HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(world.port()) + "\r\n\r\n");
        mute.push_back(world.accept()); // and never answers
    }
    for (auto const& server : mute) CHECK_FALSE(server.receive_all().empty()); // ends: nobody waits for it
}

} // namespace pfar::proxy_connect
