// Waiting for something with a bound, and the gate that lets so many start at once.
#include "servers/start_gate.hpp"
#include "unit/servers/session_stage.hpp"

using namespace pfar::servers;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto never = Clock::time_point::max();

boost::asio::awaitable<bool> wait(Change& change, Clock::time_point late) {
    co_await change.until(late);
    co_return true;
}

boost::asio::awaitable<bool> wait_and_drop(std::unique_ptr<Change> change, Clock::time_point late) {
    co_await change->until(late);
    change.reset();
    co_return true;
}

struct Gate {
    boost::asio::io_context context;
    std::shared_ptr<StartGate> gate = std::make_shared<StartGate>(context.get_executor());
    std::size_t places = std::max(2U, std::thread::hardware_concurrency()) * 2;
    std::vector<test::Later<StartGate::Place>> entered;

    void enter(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) entered.push_back(test::begin(context, gate->enter()));
        test::turn(context);
    }
    [[nodiscard]] std::size_t inside() const {
        std::size_t out = 0;
        for (auto const& one : entered) out += one->has_value() ? 1 : 0;
        return out;
    }
};

} // namespace

TEST_CASE("whoever waits is woken by the next ring, all of them, and by none before") {
    boost::asio::io_context context;
    Change change(context.get_executor());
    change.ring(); // nobody waits yet
    auto const first = test::begin(context, wait(change, never)),
               second = test::begin(context, wait(change, Clock::now() + 1h));
    test::turn(context);
    CHECK_FALSE(first->has_value());
    CHECK_FALSE(second->has_value());
    change.ring();
    test::turn(context);
    CHECK(first->has_value());
    CHECK(second->has_value());
}

TEST_CASE("whoever waits with a bound is woken by it") {
    boost::asio::io_context context;
    Change change(context.get_executor());
    auto const begun = Clock::now();
    auto const waited = test::begin(context, wait(change, begun + 20ms));
    REQUIRE(test::turn_until(context, [&] { return waited->has_value(); }));
    CHECK(Clock::now() - begun >= 20ms);
    auto const over = test::begin(context, wait(change, begun - 1h));
    REQUIRE(test::turn_until(context, [&] { return over->has_value(); }));
}

TEST_CASE("a bound that passes in the moment of a ring does not touch what whoever waited has dropped") {
    boost::asio::io_context context;
    auto change = std::make_unique<Change>(context.get_executor());
    auto& bell = *change;
    auto const late = Clock::now() + 5ms;
    auto const waited = test::begin(context, wait_and_drop(std::move(change), late));
    test::turn(context);
    while (Clock::now() <= late + 1ms) {}
    bell.ring(); // the bound's own handler is queued behind this one
    for (int i = 0; i < 20; ++i) context.restart(), context.poll_one();
    CHECK(waited->has_value());
}

TEST_CASE("the gate lets so many in, and the next when one leaves") {
    Gate gate;
    gate.enter(gate.places + 2);
    CHECK(gate.inside() == gate.places);
    gate.entered[0]->value().reset();
    test::turn(gate.context);
    CHECK(gate.inside() == gate.places + 1);
    gate.entered[1]->value().reset();
    gate.entered[2]->value().reset();
    test::turn(gate.context);
    CHECK(gate.inside() == gate.places + 2);
    for (auto& one : gate.entered) one->reset();
    test::turn(gate.context);
    gate.entered.clear();
    gate.enter(gate.places + 1);
    CHECK(gate.inside() == gate.places); // each place was given back once
}

TEST_CASE("one that hangs gives its place to the next after two seconds, and not again when it goes") {
    Gate gate;
    gate.enter(gate.places);
    auto const begun = Clock::now();
    gate.enter(gate.places);
    CHECK(gate.inside() == gate.places);
    REQUIRE(test::turn_until(gate.context, [&] { return gate.inside() == 2 * gate.places; }));
    CHECK(Clock::now() - begun >= 1900ms);
    for (std::size_t i = 0; i < gate.places; ++i) gate.entered[i]->reset();
    gate.enter(1);
    CHECK(gate.inside() == gate.places);
}
