#include "audit/coalesce.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace pfar::audit;

namespace {

Time at(int milliseconds) {
    return Time(std::chrono::seconds(1'794'847'200)) + std::chrono::milliseconds(milliseconds);
}

int admitted(Coalescer& coalescer, std::string_view session, int events, Time now) {
    int count = 0;
    for (int i = 0; i < events; ++i) count += coalescer.admit(session, now) ? 1 : 0;
    return count;
}

std::int64_t count_of(Event const& event) {
    return boost::json::value(event.details.at("count")).to_number<std::int64_t>();
}

} // namespace

TEST_CASE("up to twenty a second are written one by one") {
    Coalescer coalescer;
    for (int second = 0; second < 5; ++second) CHECK(admitted(coalescer, "s", 20, at(second * 1000)) == 20);
    CHECK(coalescer.due(at(9000)).empty());
}

TEST_CASE("more than that are counted, and one event a second tells how many") {
    Coalescer coalescer;
    CHECK(admitted(coalescer, "s", 120, at(0)) == 20);
    CHECK(coalescer.due(at(500)).empty()); // its second is not over
    CHECK(admitted(coalescer, "s", 5, at(900)) == 0);
    auto const events = coalescer.due(at(1000));
    REQUIRE(events.size() == 1);
    CHECK(events[0].kind == "refusals");
    CHECK(events[0].details.at("session").as_string() == "s");
    CHECK(events[0].details.at("outcome").as_string() == "refused");
    CHECK(events[0].details.at("since").as_string() == "2026-11-16T16:40:00.000Z");
    CHECK(count_of(events[0]) == 105);
    CHECK(coalescer.due(at(2000)).empty());
    CHECK(admitted(coalescer, "s", 30, at(2000)) == 20); // and anew
    CHECK(count_of(coalescer.due(at(2001), true).at(0)) == 10);
}

TEST_CASE("what was counted is never forgotten, also if nobody asks in time") {
    Coalescer coalescer;
    CHECK(admitted(coalescer, "s", 25, at(0)) == 20);
    CHECK(admitted(coalescer, "s", 25, at(5000)) == 0);
    CHECK(count_of(coalescer.due(at(6000)).at(0)) == 30);
}

TEST_CASE("a session is not counted with another, but where there are too many") {
    Coalescer coalescer({2, 3});
    for (auto const* const session : {"a", "b", "c"}) CHECK(admitted(coalescer, session, 2, at(0)) == 2);
    CHECK(admitted(coalescer, "d", 3, at(0)) == 2); // with all others that came too late
    CHECK(admitted(coalescer, "e", 3, at(0)) == 0);
    auto const events = coalescer.due(at(0), true);
    REQUIRE(events.size() == 1);
    CHECK_FALSE(events[0].details.contains("session"));
    CHECK(count_of(events[0]) == 4);
    for (auto const* const session : {"a", "b", "c"}) CHECK(admitted(coalescer, session, 2, at(0)) == 2);
    CHECK(admitted(coalescer, "f", 2, at(1500)) == 2); // the others are silent by now
    CHECK(admitted(coalescer, "g", 2, at(1500)) == 2);
}

TEST_CASE("a clock that was set back does not silence anybody") {
    Coalescer coalescer;
    CHECK(admitted(coalescer, "s", 20, at(10'000)) == 20);
    CHECK(admitted(coalescer, "s", 20, at(0)) == 20);
}
