#include "servers/deadlines.hpp"
#include "unit/wire/far_end.hpp"

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <vector>

using namespace std::chrono_literals;
using pfar::servers::Deadlines;

namespace {

struct Stage {
    boost::asio::io_context context;
    std::vector<std::uint64_t> passed;
    std::function<void(std::uint64_t)> also; // besides keeping it
    std::unique_ptr<Deadlines> deadlines =
        std::make_unique<Deadlines>(context.get_executor(), [this](std::uint64_t number) {
            passed.push_back(number);
            if (also) also(number);
        });

    void set(std::uint64_t number, std::chrono::milliseconds after) const {
        deadlines->set(number, Deadlines::Clock::now() + after);
    }
    bool until(std::function<bool()> const& holds) { return test::turn_until(context, holds); }
    /// Until this moment has passed, with everything that was due by then.
    void pass(std::chrono::milliseconds time) {
        auto const late = Deadlines::Clock::now() + time;
        REQUIRE(until([&] { return Deadlines::Clock::now() > late; }));
        test::turn(context);
    }
};

using Numbers = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("deadlines are heard of in their order, whatever the order they were set in") {
    Stage stage;
    stage.set(3, 30ms);
    stage.set(1, 10ms);
    stage.set(2, 20ms);
    REQUIRE(stage.until([&] { return stage.passed.size() == 3; }));
    CHECK(stage.passed == Numbers{1, 2, 3});
}

TEST_CASE("a deadline that is set anew counts from then") {
    Stage stage;
    stage.set(1, 20ms);
    stage.set(2, 60ms);
    stage.set(1, 100ms);
    REQUIRE(stage.until([&] { return stage.passed.size() == 2; }));
    CHECK(stage.passed == Numbers{2, 1});
    stage.set(1, 10s);
    stage.set(1, 1ms);
    REQUIRE(stage.until([&] { return stage.passed.size() == 3; }));
}

TEST_CASE("a deadline that was lifted is not heard of") {
    Stage stage;
    stage.set(1, 10ms);
    stage.set(2, 20ms);
    stage.deadlines->lift(1);
    stage.deadlines->lift(1);
    stage.deadlines->lift(77);
    REQUIRE(stage.until([&] { return !stage.passed.empty(); }));
    CHECK(stage.passed == Numbers{2});
}

TEST_CASE("two of the same moment are both heard of, once") {
    Stage stage;
    auto const when = Deadlines::Clock::now() + 5ms;
    stage.deadlines->set(1, when);
    stage.deadlines->set(2, when);
    stage.pass(20ms);
    CHECK(stage.passed == Numbers{1, 2});
}

TEST_CASE("whoever hears of one may set others, and itself again") {
    Stage stage;
    stage.also = [&](std::uint64_t number) {
        if (number == 1 && stage.passed.size() < 3) stage.set(1, 1ms);
        if (number == 1 && stage.passed.size() == 3) stage.set(9, -1ms); // already over
    };
    stage.set(1, 1ms);
    REQUIRE(stage.until([&] { return stage.passed.size() == 4; }));
    CHECK(stage.passed == Numbers{1, 1, 1, 9});
}

TEST_CASE("whoever hears of one may lift another of the same moment") {
    Stage stage;
    stage.also = [&](std::uint64_t) { stage.deadlines->lift(2); };
    auto const when = Deadlines::Clock::now() + 1ms;
    stage.deadlines->set(1, when);
    stage.deadlines->set(2, when);
    stage.pass(20ms);
    CHECK(stage.passed == Numbers{1});
}

TEST_CASE("whoever hears of one may destroy all of them") {
    Stage stage;
    auto const when = Deadlines::Clock::now() + 1ms;
    stage.also = [&stage, kept = std::make_shared<int>(7)](std::uint64_t) {
        stage.deadlines.reset();
        CHECK(*kept == 7);
    };
    stage.deadlines->set(1, when);
    stage.deadlines->set(2, when);
    stage.deadlines->set(3, when + 5ms);
    stage.pass(20ms);
    CHECK(stage.passed == Numbers{1});
}

TEST_CASE("what the callback holds lives as long as the callback runs, even if it destroys the deadlines") {
    boost::asio::io_context context;
    std::unique_ptr<Deadlines> deadlines;
    int seen = 0;
    deadlines = std::make_unique<Deadlines>(context.get_executor(), [&, big = std::vector<int>(100, 5)](std::uint64_t) {
        deadlines.reset();
        seen = big[99];
    });
    deadlines->set(1, Deadlines::Clock::now());
    REQUIRE(test::turn_until(context, [&] { return seen != 0; }));
    CHECK(seen == 5);
}

TEST_CASE("after stop, and after the end, nothing is heard of") {
    Stage stage;
    stage.set(1, 1ms);
    stage.deadlines->stop();
    stage.set(2, 1ms);
    stage.pass(10ms);
    CHECK(stage.passed.empty());
    Stage other;
    other.set(1, 1ms);
    other.deadlines.reset();
    other.pass(10ms);
    CHECK(other.passed.empty());
}

TEST_CASE("ten thousand deadlines that are renewed and lifted cost no time worth a word") {
    Stage stage;
    auto const begun = Deadlines::Clock::now();
    for (std::uint64_t i = 0; i < 10'000; ++i) stage.set(i, 1h);
    for (std::uint64_t i = 0; i < 10'000; ++i) stage.set(i, 2h);
    for (std::uint64_t i = 0; i < 10'000; ++i) stage.deadlines->lift(i);
    stage.set(1, 1ms);
    REQUIRE(stage.until([&] { return stage.passed == Numbers{1}; }));
    CHECK(Deadlines::Clock::now() - begun < 10s);
}
