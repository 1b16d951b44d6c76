// Plain HTTP through the proxy: which request goes where, and which goes nowhere.
#include "plain_requests.hpp"

namespace pfar::proxy_connect {

namespace {

auto const here = allowed_at("127.0.0.1");

std::string in_two(std::string const& first_line, std::string const& lines) {
    return first_line + "\r\n" + lines + "\r\n";
}

} // namespace

TEST_CASE("the origin gets the request in its own form, with one Host and without what was for the proxy") {
    Listening const world;
    RunningProxy const proxy;
    auto const where = place("Name.Example", world.port());
    auto const client = proxy.client();
    client.send("GET http://" + where + "/a?b HTTP/1.1\r\nX: y\r\nhost: " + where +
                "\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic eA==\r\n\r\n");
    auto const server = world.accept();
    CHECK(server.receive_head() == "GET /a?b HTTP/1.1\r\nHost: " + where + "\r\nX: y\r\n\r\n");
    std::string const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi";
    server.send(answer);
    CHECK(client.receive(answer.size()) == answer);
}

TEST_CASE("the next request to the same host takes the same connection") {
    Listening const world;
    Judge judge({{"a.example", here}, {"A.example", here}});
    RunningProxy proxy(judge.decide());
    auto const client = proxy.client();
    std::optional<Peer> server;
    for (auto const* const host : {"a.example", "A.example", "a.example"}) {
        client.send(ask("GET", place(host, world.port())));
        if (!server) server = world.accept();
        CHECK(server->receive_head() == asked("GET", place(host, world.port())));
        server->send(nothing_to_say);
        CHECK(client.receive_head() == nothing_to_say);
    }
    CHECK_FALSE(world.is_called());
    CHECK(judge.asked() == std::vector{place("a.example", world.port()), place("A.example", world.port()),
                                       place("a.example", world.port())}); // each of them, but dialled once
    CHECK(proxy.records() == 0);
}

TEST_CASE("another host is asked about and dialled anew, and so is another port") {
    Listening const first, second;
    Judge judge({{"a.example", here}, {"b.example", here}});
    RunningProxy proxy(judge.decide());
    auto const client = proxy.client();
    auto const one = place("a.example", first.port()), two = place("b.example", second.port()),
               three = place("b.example", first.port());
    auto const step = [&](Listening const& world, std::string const& where) {
        client.send(ask("GET", where));
        auto server = world.accept();
        CHECK(server.receive_head() == asked("GET", where));
        server.send(nothing_to_say);
        CHECK(client.receive_head() == nothing_to_say);
        return server;
    };
    auto const server = step(first, one);
    auto const next = step(second, two);
    CHECK(server.receive_all().empty());
    auto const last = step(first, three);
    CHECK(next.receive_all().empty());
    CHECK(judge.asked() == std::vector{one, two, three});
    auto const record = proxy.record();
    CHECK((record.allowed && record.destination.host == "a.example" && record.ended == "closed"));
    CHECK((record.sent == asked("GET", one).size() && record.received == nothing_to_say.size()));
    CHECK(proxy.record().destination.host == "b.example");
}

TEST_CASE("a host that is refused after one that was not gets 403, and nothing of its request arrives anywhere") {
    Listening const world, evil;
    Judge judge({{"a.example", here}});
    RunningProxy proxy(judge.decide());
    auto const client = proxy.client();
    auto const bad = place("evil.example", evil.port());
    client.send(ask("GET", place("a.example", world.port())) + ask("POST", bad, "Content-Length: 6\r\n") + "secret" +
                ask("GET", place("a.example", world.port())));
    auto const server = world.accept();
    CHECK(server.receive_head() == asked("GET", place("a.example", world.port())));
    server.send(nothing_to_say);
    CHECK(client.receive_head() == nothing_to_say);
    CHECK(client.receive_head().starts_with("HTTP/1.1 403 Forbidden\r\n"));
    client.half_close();
    CHECK(client.receive_all() == "not evil.example\n");
    CHECK(server.receive_all().empty());
    CHECK_FALSE(evil.is_called());
    CHECK(judge.asked() == std::vector{place("a.example", world.port()), bad});
}

TEST_CASE("requests that are sent at once are answered in their order") {
    Listening const world;
    RunningProxy const proxy;
    auto const where = place("a.example", world.port());
    auto const client = proxy.client();
    client.send(ask("GET", where) + ask("POST", where, "Content-Length: 3\r\n") + "abc" +
                ask("POST", where, "Transfer-Encoding: chunked\r\n") + "1\r\nx\r\n0\r\n\r\n" + ask("HEAD", where));
    auto const server = world.accept();
    for (auto const& arrives :
         {asked("GET", where), asked("POST", where, "Content-Length: 3\r\n") + "abc",
          asked("POST", where, "Transfer-Encoding: chunked\r\n") + "1\r\nx\r\n0\r\n\r\n", asked("HEAD", where)}) {
        CHECK(server.receive(arrives.size()) == arrives);
        auto const answer = "HTTP/1.1 204 " + std::to_string(arrives.size()) + "\r\n\r\n";
        server.send(answer);
        CHECK(client.receive_head() == answer);
    }
    CHECK_FALSE(world.is_called());
}

TEST_CASE("what could be taken for two different requests gets 400, and nothing of it arrives") {
    Listening const world;
    Judge judge({{"a.example", here}});
    RunningProxy proxy(judge.decide());
    auto const where = place("a.example", world.port());
    auto const post = "POST http://" + where + "/ HTTP/1.1";
    auto const host = "Host: " + where + "\r\n";
    for (auto const& text :
         {in_two(post, host + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n",
          in_two(post, host + "Content-Length: 3\r\nContent-Length: 4\r\n") + "abcd",
          in_two(post, host + "Transfer-Encoding: xchunked\r\n"),
          in_two(post, host + "Transfer-Encoding : chunked\r\n"), in_two(post, host + "Content-Length: +3\r\n"),
          in_two(post, host + " Content-Length: 3\r\n"), in_two(post, "Host: evil.example\r\n"),
          in_two(post, host + "Host: evil.example\r\n"), in_two(post, host + "X: a\nGET / HTTP/1.1\r\n"),
          in_two(post, host + "X: a\rb\r\n"), in_two("POST http://u@" + where + "/ HTTP/1.1", host),
          in_two("POST http://" + where + "/ HTTP/2.0", host), in_two("GET / HTTP/1.1", host),
          in_two("GET https://" + where + "/ HTTP/1.1", host), in_two("GET  http://" + where + "/ HTTP/1.1", host)}) {
        INFO(text);
        auto const client = proxy.client();
        client.send(text);
        client.half_close();
        CHECK(client.receive_all().starts_with("HTTP/1.1 400 Bad Request\r\n"));
        CHECK_FALSE(proxy.record().allowed);
    }
    CHECK(judge.asked().empty());
    CHECK_FALSE(world.is_called());
}

TEST_CASE("a bad request behind a good one is answered with 400 and ends both connections") {
    Asked const exchange("GET");
    exchange.answer(std::string(nothing_to_say));
    exchange.client.send("GET / HTTP/1.1\r\nHost: " + exchange.where + "\r\n\r\n");
    exchange.client.half_close();
    CHECK(exchange.client.receive_all().starts_with("HTTP/1.1 400 "));
    CHECK(exchange.origin->receive_all().empty());
}

} // namespace pfar::proxy_connect
