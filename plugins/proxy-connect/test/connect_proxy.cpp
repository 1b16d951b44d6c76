// The proxy between real sockets: what it carries and what it refuses.
#include "running_proxy.hpp"

namespace pfar::proxy_connect {

namespace {

std::string body_of(std::string const& answer) {
    auto const end = answer.find("\r\n\r\n");
    return end == std::string::npos ? "no header" : answer.substr(end + 4);
}

EgressTask task_with(EgressListener::Role role, asio::io_context& context) {
    EgressTask task;
    task.require_sni = false;
    task.server = "test";
    task.executor = context.get_executor();
    task.listeners.push_back({Listening().release(), role, 1});
    return task;
}

} // namespace

TEST_CASE("an allowed tunnel carries bytes both ways, and half of it can end before the other") {
    Listening world;
    RunningProxy proxy;
    auto const client = proxy.tunnel_to(world.port());
    auto const server = world.accept();

    client.send("ping");
    CHECK(server.receive(4) == "ping");
    server.send("pong");
    CHECK(client.receive(4) == "pong");
    CHECK(proxy.tunnels() == 1);
    client.half_close();
    CHECK(server.ended());
    server.send("and the rest");
    server.half_close();
    CHECK(client.receive_all() == "and the rest");

    auto const record = proxy.record();
    CHECK((record.allowed && record.ended == "closed"));
    CHECK((record.destination.host == "name.example" && record.destination.port == world.port()));
    CHECK((record.sent == 4 && record.received == 16));
    CHECK(proxy.tunnels() == 0);
}

TEST_CASE("bytes that were sent behind the header arrive first") {
    Listening world;
    RunningProxy proxy;
    auto const client = proxy.client();
    client.send("CONNECT a.example:" + std::to_string(world.port()) + " HTTP/1.1\r\n\r\nearly ");
    auto const server = world.accept();
    CHECK(client.receive(established.size()) == established);
    client.send("late");
    CHECK(server.receive(10) == "early late");
}

TEST_CASE("a header may arrive in single bytes") {
    Listening world;
    RunningProxy proxy;
    auto const client = proxy.client();
    for (auto const letter : "CONNECT a.example:" + std::to_string(world.port()) + " HTTP/1.1\r\n\r\n")
        client.send(std::string(1, letter));
    CHECK(client.receive(established.size()) == established);
}

TEST_CASE("megabytes pass unchanged in both directions at once") {
    Listening world;
    RunningProxy proxy;
    auto const client = proxy.tunnel_to(world.port());
    auto const server = world.accept();
    std::string bulk(8 * 1024 * 1024, '\0');
    for (std::size_t i = 0; i < bulk.size(); ++i) bulk[i] = static_cast<char>(i * 31 + i / 4096);
    std::jthread const up([&] { client.send(bulk); });
    std::jthread const down([&] { server.send(bulk); });
    auto received = std::async(std::launch::async, [&] { return server.receive(bulk.size()); });
    CHECK(client.receive(bulk.size()) == bulk);
    CHECK(received.get() == bulk);
}

TEST_CASE("a refused destination gets 403 with the host's sentence") {
    RunningProxy proxy(always(refused("test may not reach evil.example; allow it with: pfar allow")));
    auto const client = proxy.client();
    client.send("CONNECT evil.example:443 HTTP/1.1\r\n\r\nunread");
    client.half_close();
    auto const answer = client.receive_all();
    CHECK(answer.starts_with("HTTP/1.1 403 Forbidden\r\n"));
    CHECK(body_of(answer) == "test may not reach evil.example; allow it with: pfar allow\n");
    proxy.stop();
    CHECK(proxy.records() == 0); // the host knows what it refused
}

TEST_CASE("garbage gets 400 and nobody is asked about it") {
    bool asked = false;
    RunningProxy proxy([&](Destination const&, std::function<void(Verdict)> const&) { asked = true; });
    for (auto const* const text : {"GET http://a/ HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02", "CONNECT a HTTP/1.1\r\n\r\n",
                                   "CONNECT a:1 HTTP/1.1\n\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"}) {
        INFO(text);
        auto const client = proxy.client();
        client.send(text);
        client.half_close();
        CHECK(client.receive_all().starts_with("HTTP/1.1 400 Bad Request\r\n"));
        auto const record = proxy.record();
        CHECK((!record.allowed && !record.ended.empty() && record.destination.host.empty()));
    }
    proxy.stop();
    CHECK_FALSE(asked);
}

TEST_CASE("a header that is too long gets 431") {
    Limits limits;
    limits.header_bytes = 100;
    RunningProxy proxy(always(allowed_at("127.0.0.1")), limits);
    auto const client = proxy.client();
    client.send("CONNECT a:1 HTTP/1.1\r\nX: " + std::string(200, 'x') + "\r\n\r\n");
    client.half_close();
    CHECK(client.receive_all().starts_with("HTTP/1.1 431 "));
    CHECK(proxy.record().ended == "the request's head is too long");
}

TEST_CASE("the addresses are dialled in their order until one answers") {
    Listening world;
    auto verdict = allowed_at("127.0.0.2"); // nobody listens there
    verdict.dial.push_back(asio::ip::make_address("127.0.0.1"));
    RunningProxy proxy(always(verdict));
    auto const client = proxy.tunnel_to(world.port());
    client.send("x");
    CHECK(world.accept().receive(1) == "x");
}

TEST_CASE("a destination that does not answer gets 502") {
    RunningProxy proxy;
    auto const closed = Listening().port(); // nobody listens there any more
    auto const client = proxy.client();
    client.send("CONNECT a.example:" + std::to_string(closed) + " HTTP/1.1\r\n\r\n");
    client.half_close();
    auto const answer = client.receive_all();
    CHECK(answer.starts_with("HTTP/1.1 502 "));
    CHECK(body_of(answer) == "name.example cannot be reached\n");
    auto const record = proxy.record();
    CHECK((record.allowed && record.ended == "unreachable"));
}

TEST_CASE("above the limit a connection gets 503, and below it again it is served") {
    Listening world;
    Limits limits;
    limits.tunnels = 1;
    RunningProxy proxy(always(allowed_at("127.0.0.1")), limits);
    {
        auto const first = proxy.tunnel_to(world.port());
        auto const server = world.accept();
        CHECK(proxy.client().receive_all().starts_with("HTTP/1.1 503 "));
        CHECK(proxy.record().ended == "too many connections");
    }
    CHECK(proxy.record().allowed);
    auto const second = proxy.tunnel_to(world.port());
}

TEST_CASE("a listener that is not the kind of socket its role needs is refused") {
    asio::io_context context;
    ConnectProxy plugin;
    REQUIRE(plugin.configure(PluginContext{}));
    auto const session = plugin.serve(task_with(EgressListener::Role::dns_udp, context)); // a stream
    REQUIRE_FALSE(session.has_value());
    CHECK(session.error().code == Errc::invalid);
    CHECK(plugin.serve(task_with(EgressListener::Role::proxy, context)).has_value());
    context.run(); // ends: the session is gone
}

TEST_CASE("settings out of range are refused by name") {
    struct Row {
        char const* key;
        Setting value;
    };
    for (auto const& row :
         {Row{"tunnels", Setting{std::int64_t{0}}}, Row{"header_bytes", Setting{std::int64_t{1} << 40}},
          Row{"idle_seconds", Setting{std::int64_t{-1}}}, Row{"header_seconds", Setting{1.5}},
          Row{"timeout", Setting{std::int64_t{1}}}}) {
        PluginContext context;
        context.settings[row.key] = row.value;
        auto const error = ConnectProxy().configure(context).error();
        CHECK(error.code == Errc::invalid);
        CHECK(error.what.find(row.key) != std::string::npos);
    }
}

} // namespace pfar::proxy_connect
