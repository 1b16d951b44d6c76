// The owner's machine has to go through a proxy: it is dialled instead of the judged addresses, and asked for the judged name.
#include "running_proxy.hpp"

namespace pfar::proxy_connect {

namespace {

Verdict through(std::uint16_t port, std::string_view secret = "") {
    auto verdict = allowed_at("127.0.0.1");
    auto upstream = std::make_shared<Upstream>();
    upstream->dial = {asio::ip::make_address("127.0.0.1")};
    upstream->port = port;
    upstream->authorization = Secret(secret);
    verdict.upstream = std::move(upstream);
    return verdict;
}

std::string asked_for(std::string const& place, std::string const& lines = "") {
    return "CONNECT " + place + " HTTP/1.1\r\nHost: " + place + "\r\n" + lines + "\r\n";
}

// What the client gets if the upstream proxy answers so and ends.
std::string answer_after(std::string const& upstream_says, std::string const& ended) {
    INFO(upstream_says);
    Listening const upstream;
    RunningProxy proxy(always(through(upstream.port(), "Basic c2VjcmV0")));
    auto const client = proxy.client();
    client.send("CONNECT name.example:443 HTTP/1.1\r\n\r\n");
    {
        auto const server = upstream.accept();
        CHECK(server.receive_head().starts_with("CONNECT name.example:443 "));
        server.send(upstream_says);
    }
    client.half_close();
    auto answer = client.receive_all();
    CHECK(answer.starts_with("HTTP/1.1 502 "));
    CHECK(answer.find("c2VjcmV0") == std::string::npos);
    auto const record = proxy.record();
    CHECK((record.allowed && record.ended == ended));
    return answer;
}

} // namespace

TEST_CASE("the upstream proxy is asked for the judged name, and the judged addresses are left alone") {
    Listening const upstream, world;
    RunningProxy const proxy(always(through(upstream.port())));
    auto const client = proxy.client();
    client.send("CONNECT NAME.example:" + std::to_string(world.port()) +
                " HTTP/1.1\r\nProxy-Authorization: Basic bWluZQ==\r\n\r\nearly");
    auto const server = upstream.accept();
    CHECK(server.receive_head() == asked_for("name.example:" + std::to_string(world.port())));
    server.send("HTTP/1.1 200 OK\r\n\r\n");
    CHECK(client.receive(established.size()) == established);
    CHECK(server.receive(5) == "early");
    server.send("answer");
    CHECK(client.receive(6) == "answer");
    CHECK_FALSE(world.is_called());
}

TEST_CASE("the upstream proxy gets its secret, and bytes behind its answer are not lost") {
    Listening const upstream;
    RunningProxy const proxy(always(through(upstream.port(), "Basic c2VjcmV0")));
    auto const client = proxy.client();
    client.send("CONNECT name.example:22 HTTP/1.1\r\n\r\n");
    auto const server = upstream.accept();
    CHECK(server.receive_head() == asked_for("name.example:22", "Proxy-Authorization: Basic c2VjcmV0\r\n"));
    server.send("HTTP/1.1 200 OK\r\nVia: x\r\n\r\nSSH-2.0-first");
    CHECK(client.receive(established.size()) == established);
    CHECK(client.receive(13) == "SSH-2.0-first");
    client.send("x");
    CHECK(server.receive(1) == "x");
}

TEST_CASE("the upstream proxy's answer may come in single bytes") {
    Listening const upstream;
    RunningProxy const proxy(always(through(upstream.port())));
    auto const client = proxy.client();
    client.send("CONNECT name.example:22 HTTP/1.1\r\n\r\n");
    auto const server = upstream.accept();
    for (auto const letter : std::string("HTTP/1.1 200 OK\r\n\r\nx")) server.send({&letter, 1});
    CHECK(client.receive(established.size()) == established);
    CHECK(client.receive(1) == "x");
}

TEST_CASE("an IPv6 address is in brackets for the upstream proxy") {
    Listening const upstream;
    auto verdict = through(upstream.port());
    verdict.name = "2001:db8::1";
    verdict.is_address = true;
    RunningProxy const proxy(always(verdict));
    auto const client = proxy.client();
    client.send("CONNECT [2001:db8::1]:22 HTTP/1.1\r\n\r\n");
    CHECK(upstream.accept().receive_head() == asked_for("[2001:db8::1]:22"));
}

TEST_CASE("a plain request goes through the upstream proxy in a tunnel of its own") {
    Listening const upstream;
    RunningProxy const proxy(always(through(upstream.port(), "Basic c2VjcmV0")));
    auto const client = proxy.client();
    client.send("GET http://name.example/a HTTP/1.1\r\nHost: name.example\r\n\r\n");
    auto const server = upstream.accept();
    CHECK(server.receive_head() == asked_for("name.example:80", "Proxy-Authorization: Basic c2VjcmV0\r\n"));
    server.send("HTTP/1.1 200 OK\r\n\r\n");
    CHECK(server.receive_head() == "GET /a HTTP/1.1\r\nHost: name.example\r\n\r\n");
    server.send("HTTP/1.1 204 No Content\r\n\r\n");
    CHECK(client.receive_head() == "HTTP/1.1 204 No Content\r\n\r\n");
}

TEST_CASE("an upstream proxy that refuses gives 502 with the reason") {
    for (auto const* const status : {"407", "403", "500", "301"}) {
        auto const reason = std::string("the upstream proxy answered ") + status;
        auto const answer =
            answer_after("HTTP/1.1 " + std::string(status) + " No\r\nContent-Length: 4\r\n\r\nnope", reason);
        CHECK(answer.ends_with("\r\n\r\n" + reason + "\n"));
    }
    CHECK(answer_after("HTTP/1.1 2000 OK\r\n\r\n", "the upstream proxy answered nonsense").ends_with("nonsense\n"));
}

TEST_CASE("an upstream proxy that says nothing that is HTTP, or too much of it, gives 502") {
    for (auto const& said : {std::string(), std::string("SSH-2.0-x\n"), std::string("HTTP/1.1 200 OK\r\n"),
                             "HTTP/1.1 200 OK\r\nX: " + std::string(10000, 'x')})
        answer_after(said, "closed");
}

TEST_CASE("an upstream proxy that cannot be reached gives 502, and the judged address is not tried instead") {
    Listening const world;
    auto const closed = Listening().port();
    RunningProxy proxy(always(through(closed)));
    auto const client = proxy.client();
    client.send("CONNECT name.example:" + std::to_string(world.port()) + " HTTP/1.1\r\n\r\n");
    client.half_close();
    CHECK(client.receive_all().starts_with("HTTP/1.1 502 "));
    CHECK(proxy.record().ended == "unreachable");
    CHECK_FALSE(world.is_called());
}

} // namespace pfar::proxy_connect
