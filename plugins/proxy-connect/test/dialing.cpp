// Several addresses, of which some do not answer: a listener whose queue is full lets a connection wait, as a dead machine would.
#include "running_proxy.hpp"

namespace pfar::proxy_connect {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Nobody gets an answer here any more.
class Silent {
public:
    explicit Silent(std::string const& host, std::uint16_t port = 0)
        : listening_(host, port, 0),
          filler_(Peer::connected(Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), at(host, listening_.port()))) {
        REQUIRE(listening_.is_called(5000)); // a queue of 0 has room for one
    }
    [[nodiscard]] std::uint16_t port() const { return listening_.port(); }
    /// Whether anybody but the filler has got through, now that there is room.
    [[nodiscard]] bool has_another() const {
        auto const filler = listening_.accept();
        return listening_.is_called();
    }

private:
    Listening listening_;
    Peer filler_;
};

Verdict at_all(std::vector<std::string> const& addresses) {
    auto verdict = allowed_at("127.0.0.1");
    verdict.dial.clear();
    for (auto const& address : addresses) verdict.dial.push_back(asio::ip::make_address(address));
    return verdict;
}

Limits starting_after(std::chrono::milliseconds head_start) {
    Limits limits;
    limits.head_start = head_start;
    return limits;
}

void ask_for(Peer const& client, std::uint16_t port) {
    client.send("CONNECT name.example:" + std::to_string(port) + " HTTP/1.1\r\n\r\n");
}

} // namespace

TEST_CASE("an address that does not answer has a head start, and then the next one is tried beside it") {
    Listening const world;
    Silent const silent("127.0.0.2", world.port());
    RunningProxy const proxy(always(at_all({"127.0.0.2", "127.0.0.1"})), starting_after(100ms));
    auto const began = Clock::now();
    auto const client = proxy.tunnel_to(world.port());
    auto const lasted = Clock::now() - began;
    CHECK(lasted >= 100ms);
    CHECK(lasted < 1s);
    client.send("x");
    CHECK(world.accept().receive(1) == "x");
    CHECK_FALSE(silent.has_another()); // given up, not left to connect later
}

TEST_CASE("an address that refuses does not keep the next one waiting") {
    Listening const world;
    RunningProxy const proxy(always(at_all({"127.0.0.3", "127.0.0.2", "127.0.0.1"})), starting_after(1h));
    auto const client = proxy.tunnel_to(world.port());
    client.send("x");
    CHECK(world.accept().receive(1) == "x");
}

TEST_CASE("an address that fails behind a silent one does not end the dialling") {
    Listening const world;
    Silent const silent("127.0.0.2", world.port());
    RunningProxy const proxy(always(at_all({"127.0.0.2", "127.0.0.3", "127.0.0.1"})), starting_after(20ms));
    auto const client = proxy.tunnel_to(world.port());
    CHECK(world.is_called());
}

TEST_CASE("only one of several that would answer is used") {
    Listening const first;
    Listening const second("127.0.0.2", first.port());
    RunningProxy const proxy(always(at_all({"127.0.0.1", "127.0.0.2"})), starting_after(1h));
    auto const client = proxy.tunnel_to(first.port());
    CHECK(first.is_called());
    CHECK_FALSE(second.is_called());
}

TEST_CASE("when all addresses refuse, or there are none, the answer is 502") {
    auto const closed = Listening().port();
    for (auto const& verdict : {at_all({"127.0.0.1", "127.0.0.2", "127.0.0.3"}), at_all({})}) {
        RunningProxy proxy(always(verdict), starting_after(1h));
        auto const client = proxy.client();
        ask_for(client, closed);
        client.half_close();
        CHECK(client.receive_all().ends_with("\r\n\r\nname.example cannot be reached\n"));
        CHECK(proxy.record().ended == "unreachable");
    }
}

TEST_CASE("a verdict without an address says why there is none") {
    auto verdict = at_all({});
    verdict.why = "name.example has no address";
    RunningProxy const proxy(always(verdict));
    auto const client = proxy.client();
    ask_for(client, 443);
    client.half_close();
    CHECK(client.receive_all().ends_with("\r\n\r\nname.example has no address\n"));
}

TEST_CASE("when none answers, the dialling ends in time") {
    Silent const silent("127.0.0.1");
    Limits limits;
    limits.dial = 50ms;
    RunningProxy proxy(always(at_all({"127.0.0.1"})), limits);
    auto const client = proxy.client();
    ask_for(client, silent.port());
    client.half_close();
    CHECK(client.receive_all().starts_with("HTTP/1.1 502 "));
    CHECK(proxy.record().ended == "unreachable");
    CHECK_FALSE(silent.has_another());
}

TEST_CASE("the end of the session ends the dialling") {
    Silent const silent("127.0.0.1");
    std::promise<void> asked;
    RunningProxy proxy([&](Destination const&, std::function<void(Verdict)> const& answer) {
        answer(at_all({"127.0.0.1", "127.0.0.1"}));
        asked.set_value();
    });
    auto const client = proxy.client();
    ask_for(client, silent.port());
    REQUIRE(asked.get_future().wait_for(5s) ==
            std::future_status::ready); // what follows on the executor comes behind the dialling's beginning
    proxy.stop();
    CHECK(client.ended());
    proxy.on_executor([] {});
    CHECK(proxy.records() == 1);
    CHECK(proxy.record().ended == "stopped");
    CHECK_FALSE(silent.has_another());
}

} // namespace pfar::proxy_connect
