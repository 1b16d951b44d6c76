// Plain HTTP through the proxy: where bodies and connections end.
#include "plain_requests.hpp"

namespace pfar::proxy_connect {

namespace {

using namespace std::chrono_literals;
using Pair = std::pair<std::string, std::string>;

} // namespace

TEST_CASE("bodies of a length and in chunks pass both ways, and the connection is kept") {
    std::string const chunks = "5\r\nhello\r\n1;x=y\r\n!\r\n0\r\nTrailer: t\r\n\r\n";
    for (auto const& [said, body] : {Pair{"Content-Length: 6\r\n", "hello!"}, Pair{"Content-Length: 0\r\n", ""},
                                     Pair{"Transfer-Encoding: chunked\r\n", chunks}}) {
        INFO(said);
        Asked exchange("POST", said);
        for (auto const letter : body) exchange.client.send({&letter, 1});
        CHECK(exchange.origin->receive(body.size()) == body);
        exchange.answer("HTTP/1.1 200 OK\r\n" + said + "\r\n" + body);
        exchange.check_kept();
    }
}

TEST_CASE("megabytes pass both ways at once") {
    std::string bulk(4 * 1024 * 1024, '\0');
    for (std::size_t i = 0; i < bulk.size(); ++i) bulk[i] = static_cast<char>(i * 31 + i / 4096);
    auto const length = "Content-Length: " + std::to_string(bulk.size()) + "\r\n";
    Asked exchange("POST", length);
    auto const answer = "HTTP/1.1 200 OK\r\n" + length + "\r\n" + bulk;
    std::jthread const up([&] { exchange.client.send(bulk); });
    std::jthread const down([&] { exchange.origin->send(answer); });
    auto received = std::async(std::launch::async, [&] { return exchange.origin->receive(bulk.size()); });
    CHECK(exchange.client.receive(answer.size()) == answer);
    CHECK(received.get() == bulk);
}

TEST_CASE("an answer that has no body by its kind has none, whatever its length says") {
    std::string const length = "Content-Length: 10\r\n\r\n";
    for (auto const& [method, status] :
         {Pair{"HEAD", "200 OK"}, Pair{"GET", "204 No Content"}, Pair{"GET", "304 Not Modified"}}) {
        INFO(method << " " << status);
        Asked const exchange(method);
        exchange.answer("HTTP/1.1 " + status + "\r\n" + length);
        exchange.check_kept();
    }
}

TEST_CASE("a client that waits for 100 gets it, and then sends its body") {
    Asked const exchange("POST", "Content-Length: 4\r\nExpect: 100-continue\r\n");
    exchange.answer("HTTP/1.1 100 Continue\r\n\r\n");
    exchange.answer("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n");
    exchange.client.send("body");
    CHECK(exchange.origin->receive(4) == "body");
    exchange.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    exchange.check_kept();
}

TEST_CASE("an upgraded connection is a tunnel, also for what was sent behind the heads") {
    Asked exchange("GET", "Connection: upgrade\r\nUpgrade: websocket\r\n");
    exchange.client.send("early ");
    exchange.answer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x02hi");
    exchange.client.send("\x16GET / HTTP/1.1\r\n\r\n");
    CHECK(exchange.origin->receive(25) == "early \x16GET / HTTP/1.1\r\n\r\n");
    exchange.origin->half_close();
    CHECK(exchange.client.ended());
    CHECK(exchange.proxy.tunnels() == 1);
    exchange.client.half_close();
    CHECK(exchange.origin->ended());
    CHECK(exchange.proxy.record().ended == "closed");
}

TEST_CASE("an answer without a length ends with its connection") {
    Asked exchange("GET");
    exchange.origin->send("HTTP/1.1 200 OK\r\n\r\nall of ");
    exchange.origin->send("it");
    exchange.origin.reset();
    CHECK(exchange.client.receive_all() == "HTTP/1.1 200 OK\r\n\r\nall of it");
    CHECK(exchange.proxy.record().ended == "closed");
}

TEST_CASE("an answer that ends before its length does not look whole") {
    for (auto const& [said, part] :
         {Pair{"Content-Length: 10\r\n\r\n", "part"}, Pair{"Transfer-Encoding: chunked\r\n\r\n", "4\r\npart\r\n"}}) {
        Asked exchange("GET");
        exchange.answer("HTTP/1.1 200 OK\r\n" + said + part);
        exchange.origin.reset();
        CHECK(exchange.client.ended());
        CHECK(exchange.proxy.record().ended == "cut short");
    }
}

TEST_CASE("an origin that has closed a kept connection is asked about and dialled anew") {
    Asked exchange("GET");
    exchange.answer(std::string(nothing_to_say));
    exchange.origin.reset();
    exchange.client.send(ask("GET", exchange.where));
    exchange.origin.emplace(exchange.world.accept());
    CHECK(exchange.origin->receive_head() == asked("GET", exchange.where));
    exchange.answer(std::string(nothing_to_say));
    CHECK(exchange.proxy.record().ended == "closed");
}

TEST_CASE("what an origin sends without being asked is never the answer to the next request") {
    Asked exchange("GET");
    exchange.answer(std::string(nothing_to_say));
    exchange.origin->send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
    exchange.client.send(ask("GET", exchange.where));
    exchange.origin.emplace(exchange.world.accept());
    CHECK(exchange.origin->receive_head() == asked("GET", exchange.where));
    exchange.answer(std::string(nothing_to_say));
}

TEST_CASE("an answer that is none, or too long, is 502") {
    for (auto const& said :
         {std::string("SSH-2.0-x\r\n\r\n"), std::string("HTTP/1.1 200 OK\n\n"), std::string("HTTP/2 200\r\n\r\n"),
          std::string("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
          std::string("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
          std::string("HTTP/1.1 101 Switching Protocols\r\n\r\n"), std::string("HTTP/1.1 200 OK\r\nX: "),
          "HTTP/1.1 200 OK\r\nX: " + std::string(70000, 'x') + "\r\n\r\n"}) {
        INFO(said.substr(0, 80));
        Asked exchange("GET");
        exchange.origin->send(said);
        exchange.origin->half_close();
        exchange.client.half_close();
        CHECK(exchange.client.receive_all().starts_with("HTTP/1.1 502 Bad Gateway\r\n"));
        CHECK(exchange.proxy.record().allowed);
    }
}

TEST_CASE("an answer before the end of the body arrives, and the rest has a moment to follow") {
    std::string const answer = "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno";
    {
        Asked const exchange("POST", "Content-Length: 6\r\n");
        exchange.client.send("abc");
        exchange.answer(answer);
        exchange.client.send("def");
        CHECK(exchange.origin->receive(6) == "abcdef");
        exchange.check_kept();
    }
    Limits limits;
    limits.farewell = 30ms;
    Asked exchange("POST", "Content-Length: 6\r\n", limits);
    exchange.client.send("abc");
    exchange.answer(answer);
    CHECK(exchange.client.ended());
    CHECK(exchange.origin->receive_all() == "abc");
    CHECK(exchange.proxy.record().sent == asked("POST", exchange.where, "Content-Length: 6\r\n").size() + 3);
}

TEST_CASE("a client that vanishes in the middle of a body takes the connection with it") {
    for (auto const& [said, part] :
         {Pair{"Content-Length: 10\r\n", "part"}, Pair{"Transfer-Encoding: chunked\r\n", "4\r\npart\r\n"}}) {
        Asked exchange("POST", said);
        exchange.client.send(part);
        CHECK(exchange.origin->receive(part.size()) == part);
        exchange.client = Peer(Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)));
        CHECK(exchange.origin->ended());
        CHECK(exchange.proxy.record().ended == "cut short");
    }
}

TEST_CASE("chunks that are none end the connection, and only what was good has arrived") {
    Asked exchange("POST", "Transfer-Encoding: chunked\r\n");
    exchange.client.send("1\r\na\r\n");
    CHECK(exchange.origin->receive(6) == "1\r\na\r\n");
    exchange.client.send("-1\r\nGET / HTTP/1.1\r\n\r\n");
    CHECK(exchange.origin->receive_all().empty());
    CHECK(exchange.proxy.record().ended == "cut short");
}

} // namespace pfar::proxy_connect
