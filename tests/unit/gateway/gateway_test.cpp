#include "gateway/gateway.hpp"

#include "unit/gateway/client_stage.hpp"

using namespace pfar;
using Stage = test::ClientStage;

namespace {

/// A gateway beside the stage's own client.
struct House : Stage {
    std::unique_ptr<gateway::Gateway> all = std::make_unique<gateway::Gateway>(*means);

    House() = default;
    House(House const&) = delete;
    House& operator=(House const&) = delete;
    ~House() { all.reset(); }

    struct Guest {
        std::shared_ptr<test::Ear> ear = std::make_shared<test::Ear>();
        std::shared_ptr<gateway::Party> party;
    };
    Guest admit(std::string server = "", bool initialize = true) {
        Guest out;
        gateway::Arrival arrival;
        arrival.transport = "stdio", arrival.server = std::move(server), arrival.outlet = out.ear;
        out.party = all->admit(std::move(arrival)).value();
        if (initialize)
            out.party->hear(
                R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}})");
        out.ear->take();
        return out;
    }
};

void set_level(House::Guest const& guest, std::string_view level) {
    guest.party->hear(
        fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{{"level":"{}"}}}})", level));
}

} // namespace

TEST_CASE("whoever comes gets a session of its own, until it ends") {
    House house;
    auto const first = house.admit(), second = house.admit();
    CHECK(first.party->id() != second.party->id());
    CHECK(house.all->count() == 2);
    CHECK(house.all->clients().size() == 2);
    first.party->end("gone");
    CHECK(house.all->count() == 1);
    CHECK(house.gone == std::vector<std::string>{first.party->id()});
}

TEST_CASE("a server that is not there is an error that says so, and one that is there can be had alone") {
    House house;
    house.offer("a");
    gateway::Arrival arrival;
    arrival.server = "nothere\x1b", arrival.outlet = std::make_shared<test::Ear>();
    auto const refused = house.all->admit(arrival);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::not_found);
    CHECK(refused.error().what.find('\x1b') == std::string::npos);
    CHECK(house.all->count() == 0);
    CHECK(house.admit("a").party);
}

TEST_CASE("too many sessions are refused, and one that ends makes room") {
    House house;
    std::vector<House::Guest> guests;
    for (int i = 0; i < 2048; ++i) guests.push_back(house.admit("", false));
    gateway::Arrival arrival;
    arrival.outlet = std::make_shared<test::Ear>();
    CHECK(house.all->admit(arrival).error().code == Errc::unavailable);
    guests.back().party->end("gone");
    CHECK(house.all->admit(arrival));
}

TEST_CASE("what a server says reaches those who see it, or the one session it is for") {
    House house;
    house.offer("a"), house.offer("b");
    auto const all = house.admit(), only_a = house.admit("a"), only_b = house.admit("b");
    auto const heard = [&] {
        test::turn(house.context);
        return std::vector{all.ear->take().size(), only_a.ear->take().size(), only_b.ear->take().size()};
    };
    auto const params = R"({"level":"error","data":1})";
    house.all->notified("/mcp/a.toml", "", "", "notifications/message", params);
    CHECK(heard() == std::vector<std::size_t>{1, 1, 0});
    house.all->notified("/mcp/a.toml", only_a.party->id(), "", "notifications/message", params);
    CHECK(heard() == std::vector<std::size_t>{0, 1, 0});
    house.all->notified("/mcp/a.toml", only_b.party->id(), "", "notifications/message", params);
    CHECK(heard() == std::vector<std::size_t>{0, 0, 0});
    house.all->say("/mcp/b.toml", "error", "b is disabled");
    CHECK(heard() == std::vector<std::size_t>{1, 0, 1});
    house.all->say("", "error", "to all");
    CHECK(heard() == std::vector<std::size_t>{1, 1, 1});
    house.all->notified("/mcp/a.toml", "", "file:///x", "notifications/resources/updated", R"({"uri":"file:///x"})");
    CHECK(heard() == std::vector<std::size_t>{0, 0, 0}); // nobody subscribed
    house.all->list_changed("/mcp/a.toml", "tools");
    REQUIRE(house.until([&] { return all.ear->said.size() == 1 && only_a.ear->said.size() == 1; }));
    CHECK(only_b.ear->said.empty());
    house.all->list_changed("", "tools");
    REQUIRE(house.until([&] { return only_b.ear->said.size() == 1; }));
}

TEST_CASE("a server logs as much as the most curious of those who see it asks for") {
    House house;
    house.offer("a"), house.offer("b");
    auto const all = house.admit(), only_a = house.admit("a");
    CHECK(house.all->log_level("/mcp/a.toml").empty());
    set_level(all, "error");
    set_level(only_a, "debug");
    CHECK(house.all->log_level("/mcp/a.toml") == "debug");
    CHECK(house.all->log_level("/mcp/b.toml") == "error");
    only_a.party->end("gone");
    CHECK(house.all->log_level("/mcp/a.toml") == "error");
    all.party->end("gone");
    CHECK(house.all->log_level("/mcp/a.toml").empty());
}

TEST_CASE("closing it ends every session and closes every outlet with the reason") {
    House house;
    auto const first = house.admit(), second = house.admit();
    house.all->close("the host is stopping");
    CHECK(first.ear->closed == "the host is stopping");
    CHECK(second.ear->closed == "the host is stopping");
    CHECK(house.all->count() == 0);
    auto const third = house.admit();
    house.all.reset();
    CHECK(third.ear->closed == "the host is stopping");
    third.party->hear(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
    third.party->end("late");
    CHECK(third.ear->said.empty());
}

TEST_CASE("a session that was dropped without an end does not count for ever") {
    House house;
    house.admit();
    CHECK(house.all->count() == 0);
}
