// Processes that know nothing of a proxy: they dial an address that stands for a name, and are asked about as that name.
#include "client_hello.hpp"
#include "client_hellos.hpp"
#include "sandbox_network.hpp"

namespace pfar::proxy_connect {

namespace {

Verdict verdict_for(std::string name, bool is_address = false) {
    auto verdict = allowed_at("127.0.0.1");
    verdict.name = std::move(name);
    verdict.is_address = is_address;
    return verdict;
}

/// A sandbox in which port `here` plays `role`, and the world outside that listens on the same port.
struct Sandbox {
    explicit Sandbox(Role role)
        : proxy(listeners(role), judge.decide()), resolver(network.client("127.0.0.1", 53, SOCK_DGRAM)) {}

    std::vector<EgressListener> listeners(Role role) {
        std::vector<EgressListener> made;
        made.push_back(network.listener(role, here));
        made.push_back(network.listener(Role::dns_udp, 53));
        return made;
    }
    /// A client that has looked up this name, which is in the judge's list, and dialled it.
    [[nodiscard]] Peer client_of(std::string const& name) const {
        return network.client(ask_dns(resolver, name).address, here);
    }
    /// The last question that was not about a name alone.
    [[nodiscard]] bool was_asked_about(std::string const& host) { return judge.asked().back() == place_of(host); }
    [[nodiscard]] std::string place_of(std::string const& host) const { return host + ":" + std::to_string(here); }

    SandboxNetwork network;
    Listening world;
    std::uint16_t here = world.port();
    Judge judge{{{"name.example", verdict_for("name.example")},
                 {"other.example", verdict_for("other.example")},
                 {"203.0.113.7", verdict_for("203.0.113.7", true)}}};
    RunningProxy proxy;
    Peer resolver;
};

void check_blamed(EgressRecord const& record, std::string const& host, std::string const& why) {
    CHECK_FALSE(record.allowed);
    CHECK((record.destination.host == host && record.ended == why));
}

} // namespace

TEST_CASE("TLS to an address that stands for a name is asked about as the name and arrives unchanged") {
    Sandbox sandbox(Role::tls);
    auto const other = ask_dns(sandbox.resolver, "other.example");
    auto const client = sandbox.client_of("name.example");
    auto const hello = hellos::hello_for("Name.example");
    client.send(hello);
    auto const server = sandbox.world.accept();
    CHECK(server.receive(hello.size()) == hello);
    CHECK(sandbox.was_asked_about("name.example"));
    server.send("answer");
    CHECK(client.receive(6) == "answer");
    client.half_close();
    CHECK(server.ended());
    server.half_close();
    auto const record = sandbox.proxy.record();
    CHECK((record.allowed && record.sent == hello.size() && record.received == 6));
    CHECK((record.destination.host == "name.example" && record.destination.said == Destination::Said::address));
}

TEST_CASE("TLS that says another name, also one that is allowed, gets an alert, and nobody is dialled") {
    Sandbox sandbox(Role::tls);
    for (auto const* const name : {"other.example", "evil.example"}) {
        auto const client = sandbox.client_of("name.example");
        client.send(hellos::hello_for(name));
        client.half_close();
        CHECK(client.receive_all() == alert_unrecognized_name);
        check_blamed(sandbox.proxy.record(), "name.example", std::string("the TLS server name is ") + name);
    }
    auto const client = sandbox.client_of("name.example");
    client.send("GET / HTTP/1.1\r\nHost: name.example\r\n\r\n");
    client.half_close();
    CHECK(client.receive_all().empty());
    check_blamed(sandbox.proxy.record(), "name.example", "this is not TLS");
    CHECK_FALSE(sandbox.world.is_called());
}

TEST_CASE("TLS to an address that stands for nothing is asked about as the address") {
    Sandbox sandbox(Role::tls);
    auto const hello = hellos::from_hex(hellos::openssl_nameless);
    auto const client = sandbox.network.client("203.0.113.7", sandbox.here);
    client.send(hello);
    CHECK(sandbox.world.accept().receive(hello.size()) == hello);
    CHECK(sandbox.was_asked_about("203.0.113.7"));
    for (auto const* const address : {"203.0.113.8", "198.18.0.1", "198.19.255.254", "169.254.169.254", "127.0.0.1"}) {
        auto const refused = sandbox.network.client(address, sandbox.here);
        refused.send(hellos::hello_for("name.example"));
        refused.half_close();
        CHECK(refused.receive_all() == alert_unrecognized_name);
        CHECK(sandbox.was_asked_about(address));
    }
    CHECK_FALSE(sandbox.world.is_called());
}

TEST_CASE("HTTP whose Host is the name that was dialled is judged and passed on, request by request") {
    Sandbox sandbox(Role::http);
    auto const client = sandbox.client_of("name.example");
    auto const request = "GET /a HTTP/1.1\r\nHost: " + sandbox.place_of("name.example") + "\r\n\r\n";
    std::string const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    client.send(request);
    auto const server = sandbox.world.accept();
    for (int times = 0; times < 2; ++times) {
        CHECK(server.receive_head() == request);
        server.send(answer);
        CHECK(client.receive(answer.size()) == answer);
        client.send(request);
    }
    CHECK(sandbox.was_asked_about("name.example"));
}

TEST_CASE("HTTP whose Host is another than was dialled gets 403, and nothing of it arrives") {
    Sandbox sandbox(Role::http);
    (void)ask_dns(sandbox.resolver, "other.example");
    for (auto const& host : {sandbox.place_of("other.example"), sandbox.place_of("203.0.113.7"),
                             std::string("name.example"), std::string("name.example:1")}) {
        INFO(host);
        auto const client = sandbox.client_of("name.example");
        client.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        client.half_close();
        CHECK(client.receive_all().starts_with("HTTP/1.1 403 Forbidden\r\n"));
        check_blamed(sandbox.proxy.record(), host.substr(0, host.find(':')),
                     "the Host header names another server than the one that was dialled");
    }
    auto const client = sandbox.client_of("name.example");
    client.send("GET http://" + sandbox.place_of("name.example") +
                "/ HTTP/1.1\r\nHost: " + sandbox.place_of("name.example") + "\r\n\r\n");
    client.half_close();
    CHECK(client.receive_all().starts_with("HTTP/1.1 400 ")); // this is no proxy, for those in there
    CHECK_FALSE(sandbox.world.is_called());
}

TEST_CASE("HTTP whose second request names another host gets 403, and only the first arrives") {
    Sandbox sandbox(Role::http);
    auto const client = sandbox.client_of("name.example");
    auto const good = "GET / HTTP/1.1\r\nHost: " + sandbox.place_of("name.example") + "\r\n\r\n";
    client.send(good + "GET /secret HTTP/1.1\r\nHost: " + sandbox.place_of("other.example") + "\r\n\r\n");
    auto const server = sandbox.world.accept();
    CHECK(server.receive_head() == good);
    server.send("HTTP/1.1 204 No Content\r\n\r\n");
    CHECK(client.receive_head() == "HTTP/1.1 204 No Content\r\n\r\n");
    CHECK(client.receive_head().starts_with("HTTP/1.1 403 "));
    client.half_close();
    CHECK(server.receive_all().empty());
}

TEST_CASE("anything on another port is judged by name and port, and carried either way") {
    Sandbox sandbox(Role::port);
    auto const client = sandbox.client_of("name.example");
    auto const server = sandbox.world.accept();
    CHECK(sandbox.was_asked_about("name.example"));
    server.send("SSH-2.0-first");
    CHECK(client.receive(13) == "SSH-2.0-first");
    client.send("SSH-2.0-then");
    CHECK(server.receive(12) == "SSH-2.0-then");
    auto const refused = sandbox.network.client("203.0.113.8", sandbox.here);
    CHECK(refused.ended());
    CHECK(sandbox.was_asked_about("203.0.113.8"));
    CHECK_FALSE(sandbox.world.is_called());
}

} // namespace pfar::proxy_connect
