// A tunnel to port 443 with require_sni: the TLS server name has to be the one that was judged. The oracle is the other side: of a
// hello that is not right, not one byte arrives there.
#include "client_hello.hpp"
#include "client_hellos.hpp"
#include "made_hellos.hpp"
#include "running_proxy.hpp"

#include <unistd.h>

namespace pfar::proxy_connect {

namespace {

using namespace std::chrono_literals;

// Port 443 of a loopback address that only this process uses.
std::string own_address() {
    auto const id = static_cast<unsigned>(::getpid());
    return "127." + std::to_string(64 + (id >> 16U) % 64) + "." + std::to_string((id >> 8U) & 0xffU) + "." +
           std::to_string(id & 0xffU);
}

#define NEEDS_PORT_443                                                                                                 \
    if (::geteuid() != 0) SKIP("listening on port 443 needs root")

Verdict judged(std::string name, bool is_address = false) {
    auto verdict = allowed_at(own_address());
    verdict.name = std::move(name);
    verdict.is_address = is_address;
    return verdict;
}

struct Tunnel {
    explicit Tunnel(Verdict verdict, bool require_sni = true, Limits limits = {})
        : proxy(always(std::move(verdict)), limits, require_sni), client(proxy.tunnel_to(443)), server(world.accept()) {
    }
    Listening world{own_address(), 443};
    RunningProxy proxy;
    Peer client, server;
};

// What the client says does not arrive, it is told with `told`, and the record says why.
void check_refused(Verdict verdict, std::string const& said, std::string_view told, std::string const& why) {
    INFO(why);
    Tunnel tunnel(std::move(verdict));
    tunnel.client.send(said);
    tunnel.client.half_close();
    CHECK(tunnel.client.receive_all() == told);
    CHECK(tunnel.server.receive_all().empty());
    auto const record = tunnel.proxy.record();
    CHECK_FALSE(record.allowed);
    CHECK(record.ended == why);
    CHECK((record.sent == 0 && record.received == 0));
    CHECK((record.destination.host == "name.example" && record.destination.port == 443));
    CHECK(tunnel.proxy.tunnels() == 0);
    tunnel.proxy.stop();
    CHECK(tunnel.proxy.records() == 0);
}

} // namespace

TEST_CASE("a hello with the judged name arrives unchanged, and then everything does") {
    NEEDS_PORT_443;
    for (auto const hex : {hellos::openssl, hellos::openssl_tls10, hellos::openssl_in_records, hellos::curl,
                           hellos::node, hellos::java}) {
        auto const hello = hellos::from_hex(hex) + "behind it";
        Tunnel tunnel(judged("api.notion.com"));
        tunnel.client.send(hello);
        CHECK(tunnel.server.receive(hello.size()) == hello);
        tunnel.server.send("answer");
        CHECK(tunnel.client.receive(6) == "answer");
        tunnel.client.send("more");
        CHECK(tunnel.server.receive(4) == "more");
        CHECK(tunnel.proxy.tunnels() == 1);
    }
}

TEST_CASE("a hello may come byte by byte, and a name in any case and with a last dot") {
    NEEDS_PORT_443;
    for (auto const* const name : {"name.example", "NAME.Example", "name.example."}) {
        auto const hello = hellos::hello_for(name);
        Tunnel tunnel(judged("name.example"));
        for (auto const byte : hello) tunnel.client.send({&byte, 1});
        CHECK(tunnel.server.receive(hello.size()) == hello);
    }
}

TEST_CASE("a hello may come in the packet of its CONNECT") {
    NEEDS_PORT_443;
    Listening const world(own_address(), 443);
    RunningProxy const proxy(always(judged("name.example")), {}, true);
    auto const hello = hellos::hello_for("name.example");
    auto const client = proxy.client();
    client.send("CONNECT name.example:443 HTTP/1.1\r\n\r\n" + hello);
    auto const server = world.accept();
    CHECK(server.receive(hello.size()) == hello);
    CHECK(client.receive(established.size()) == established);
}

TEST_CASE("of a hello with another name, or none, nothing arrives, and the client gets an alert") {
    NEEDS_PORT_443;
    for (auto const* const name : {"evil.example", "name.example.evil.example", "xname.example", "name.exampl",
                                   "sub.name.example", "name.example.."})
        check_refused(judged("name.example"), hellos::hello_for(name) + "behind it", alert_unrecognized_name,
                      std::string("the TLS server name is ") + name);
    check_refused(judged("name.example"), hellos::from_hex(hellos::openssl_nameless), alert_unrecognized_name,
                  "no TLS server name");
}

TEST_CASE("of what is not a TLS hello nothing arrives") {
    NEEDS_PORT_443;
    auto const hello = hellos::hello_for("name.example");
    for (auto const& said :
         {std::string("GET / HTTP/1.1\r\nHost: name.example\r\n\r\n"), std::string("SSH-2.0-x\r\n"),
          hello.substr(0, hello.size() - 1), std::string(), hellos::record("\x02" + hello.substr(6)),
          hellos::hello(hellos::names(hellos::name("name.example")) + hellos::names(hellos::name("evil.example")))})
        check_refused(judged("name.example"), said, "", "this is not TLS");
}

TEST_CASE("an address is spoken to without a name, and not with one") {
    NEEDS_PORT_443;
    auto const hello = hellos::from_hex(hellos::openssl_nameless);
    {
        Tunnel tunnel(judged(own_address(), true));
        tunnel.client.send(hello);
        CHECK(tunnel.server.receive(hello.size()) == hello);
    }
    check_refused(judged(own_address(), true), hellos::hello_for("evil.example"), alert_unrecognized_name,
                  "a server name (evil.example) for an address");
}

TEST_CASE("a client that does not finish its hello is disconnected in time") {
    NEEDS_PORT_443;
    Limits limits;
    limits.header = 200ms;
    Tunnel tunnel(judged("name.example"), true, limits);
    tunnel.client.send(hellos::hello_for("name.example").substr(0, 40));
    CHECK(tunnel.client.ended());
    CHECK(tunnel.server.receive_all().empty());
    CHECK(tunnel.proxy.record().ended == "no TLS hello in time");
}

TEST_CASE("what the other side says before the hello waits until the hello is right") {
    NEEDS_PORT_443;
    auto const hello = hellos::hello_for("name.example");
    Tunnel tunnel(judged("name.example"));
    tunnel.server.send("first");
    tunnel.client.send(hello);
    CHECK(tunnel.server.receive(hello.size()) == hello);
    CHECK(tunnel.client.receive(5) == "first");
}

TEST_CASE("without require_sni a tunnel to port 443 carries anything") {
    NEEDS_PORT_443;
    Tunnel tunnel(judged("name.example"), false);
    tunnel.client.send("SSH-2.0-x\r\n");
    CHECK(tunnel.server.receive(11) == "SSH-2.0-x\r\n");
}

} // namespace pfar::proxy_connect
