// DNS as a sandboxed process sees it: what may be reached has an address that stands for it, everything else does not exist.
#include "sandbox_network.hpp"

namespace pfar::proxy_connect {

namespace {

constexpr std::uint16_t dns_port = 53;

Verdict known_as(std::string name) {
    auto verdict = allowed_at("127.0.0.1");
    verdict.name = std::move(name);
    verdict.dial.clear();
    return verdict;
}

std::vector<EgressListener> resolvers(SandboxNetwork const& network) {
    std::vector<EgressListener> listeners;
    listeners.push_back(network.listener(Role::dns_udp, dns_port));
    listeners.push_back(network.listener(Role::dns_tcp, dns_port));
    return listeners;
}

struct Resolving {
    explicit Resolving(Decide decide) : proxy(resolvers(network), std::move(decide)) {}
    [[nodiscard]] Peer datagrams() const { return network.client("127.0.0.1", dns_port, SOCK_DGRAM); }
    [[nodiscard]] Peer stream() const { return network.client("127.0.0.1", dns_port); }
    SandboxNetwork network;
    RunningProxy proxy;
};

std::function<void(Verdict)> in_time(std::promise<std::function<void(Verdict)>>& asked) {
    auto answer = asked.get_future();
    REQUIRE(answer.wait_for(std::chrono::seconds(5)) == std::future_status::ready);
    return answer.get();
}

// Over TCP: the next answer.
std::string next_message(Peer const& stream) {
    auto const size = stream.receive(2);
    REQUIRE(size.size() == 2);
    return stream.receive(static_cast<unsigned char>(size[0]) * 256U + static_cast<unsigned char>(size[1]));
}

DnsAnswer ask_stream(Peer const& stream, std::string const& name, DnsType type = a) {
    stream.send(hellos::block(2, dns_question(name, type)));
    return read_dns(next_message(stream));
}

} // namespace

TEST_CASE("a name that may be reached has one address for good, over UDP and TCP and in any case") {
    Judge judge({{"a.example", known_as("a.example")},
                 {"A.EXAMPLE", known_as("a.example")},
                 {"b.example", known_as("b.example")}});
    Resolving const sandbox(judge.decide());
    auto const datagrams = sandbox.datagrams(), stream = sandbox.stream();
    for (int times = 0; times < 2; ++times) {
        CHECK(ask_dns(datagrams, "a.example") == DnsAnswer{0, "198.18.0.1"});
        CHECK(ask_stream(stream, "b.example") == DnsAnswer{0, "198.18.0.2"});
        CHECK(ask_stream(stream, "A.EXAMPLE") == DnsAnswer{0, "198.18.0.1"});
        CHECK(ask_dns(datagrams, "b.example") == DnsAnswer{0, "198.18.0.2"});
    }
    CHECK(judge.asked().front() == "a.example:0");
}

TEST_CASE("a name that may be reached has no record of another type, and no other name exists") {
    Judge judge({{"a.example", known_as("a.example")}});
    Resolving sandbox(judge.decide());
    auto const datagrams = sandbox.datagrams(), stream = sandbox.stream();
    for (auto const type : {aaaa, https, txt}) {
        CHECK(ask_dns(datagrams, "a.example", type) == DnsAnswer{0, ""});
        CHECK(ask_stream(stream, "a.example", type) == DnsAnswer{0, ""});
        CHECK(ask_dns(datagrams, "evil.example", type) == DnsAnswer{3, ""});
    }
    CHECK(ask_dns(datagrams, "evil.example") == DnsAnswer{3, ""});
    CHECK(ask_stream(stream, "secret-bytes.evil.example") == DnsAnswer{3, ""});
    CHECK(ask_dns(datagrams, "a.example") == DnsAnswer{0, "198.18.0.1"}); // the refused ones have taken none
    sandbox.proxy.stop();
    CHECK(sandbox.proxy.records() == 0);
}

TEST_CASE("what is no question gets no answer, and the next question does") {
    Judge judge({{"a.example", known_as("a.example")}});
    Resolving const sandbox(judge.decide());
    auto const datagrams = sandbox.datagrams();
    auto an_answer = dns_question("a.example");
    an_answer[2] = '\x81';
    for (auto const& garbage : {std::string("x"), std::string(11, '\0'), an_answer, std::string()}) {
        datagrams.send(garbage);
        CHECK(ask_dns(datagrams, "a.example") == DnsAnswer{0, "198.18.0.1"});
        auto const stream = sandbox.stream();
        stream.send(hellos::block(2, garbage));
        CHECK(ask_stream(stream, "a.example") == DnsAnswer{0, "198.18.0.1"});
    }
    datagrams.send(dns_question("a.example") + "x");
    CHECK(read_dns(datagrams.receive_datagram()).code == 1);
    datagrams.send(std::string(5000, '\0'));
    CHECK(read_dns(datagrams.receive_datagram(), 0).code == 1);
}

TEST_CASE("questions over TCP may come in single bytes, and many at once") {
    Judge judge({{"a.example", known_as("a.example")}});
    Resolving const sandbox(judge.decide());
    auto const stream = sandbox.stream();
    for (auto const byte : hellos::block(2, dns_question("a.example"))) stream.send({&byte, 1});
    CHECK(read_dns(next_message(stream)) == DnsAnswer{0, "198.18.0.1"});
    stream.send(hellos::block(2, dns_question("a.example")) + hellos::block(2, dns_question("evil.example")));
    CHECK(read_dns(next_message(stream)) == DnsAnswer{0, "198.18.0.1"});
    CHECK(read_dns(next_message(stream)) == DnsAnswer{3, ""});
}

TEST_CASE("a process that asks for more names than anybody needs gets no further ones, and keeps those it has") {
    Resolving const sandbox(
        [](Destination const& asked, std::function<void(Verdict)> const& answer) { answer(known_as(asked.host)); });
    auto const stream = sandbox.stream();
    for (std::size_t first = 0; first < SyntheticNames::most; first += 64) {
        std::string questions;
        for (auto number = first; number < first + 64; ++number)
            questions += hellos::block(2, dns_question("n" + std::to_string(number) + ".example"));
        stream.send(questions);
        for (int each = 0; each < 64; ++each) REQUIRE(read_dns(next_message(stream)).code == 0);
    }
    CHECK(ask_stream(stream, "one-more.example") == DnsAnswer{2, ""});
    CHECK(ask_stream(stream, "one-more.example", aaaa) == DnsAnswer{0, ""});
    CHECK(ask_stream(stream, "n0.example") == DnsAnswer{0, "198.18.0.1"});
    CHECK(ask_dns(sandbox.datagrams(), "n4095.example") == DnsAnswer{0, "198.18.16.32"});
}

TEST_CASE("a decision about a name may come later over UDP, but not after the session") {
    std::promise<std::function<void(Verdict)>> first, second;
    int questions = 0;
    Resolving sandbox([&](Destination const&, std::function<void(Verdict)> const& answer) {
        (++questions == 1 ? first : second).set_value(answer);
    });
    auto const datagrams = sandbox.datagrams();
    datagrams.send(dns_question("a.example"));
    auto const answer = in_time(first);
    sandbox.proxy.on_executor([&] { answer(known_as("a.example")); });
    CHECK(read_dns(datagrams.receive_datagram()) == DnsAnswer{0, "198.18.0.1"});
    datagrams.send(dns_question("b.example"));
    auto const late = in_time(second);
    sandbox.proxy.stop();
    sandbox.proxy.on_executor([&] { late(known_as("b.example")); });
}

} // namespace pfar::proxy_connect
