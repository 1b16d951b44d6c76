#include "servers/crash_count.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;
using pfar::servers::CrashCount;
using pfar::servers::with_jitter;
using Wait = std::optional<std::chrono::seconds>;

namespace {

constexpr CrashCount::Time start{std::chrono::hours(1000)};
constexpr Wait disabled{};

} // namespace

TEST_CASE("it is started again after 1 s, then after 5 s, and the third crash within ten minutes disables it") {
    CrashCount count;
    CHECK(count.crashed(start) == Wait(1s));
    CHECK(count.crashed(start + 2s) == Wait(5s));
    CHECK(count.crashed(start + 8s) == disabled);
}

TEST_CASE("the third crash a moment before the ten minutes are over disables it") {
    CrashCount count;
    CHECK(count.crashed(start) == Wait(1s));
    CHECK(count.crashed(start + 9min) == Wait(5s));
    CHECK(count.crashed(start + 10min - 1ms) == disabled);
}

TEST_CASE("a third crash that is not within ten minutes of the first waits 30 s, and so does every later one") {
    CrashCount count;
    CHECK(count.crashed(start) == Wait(1s));
    CHECK(count.crashed(start + 9min) == Wait(5s));
    CHECK(count.crashed(start + 10min) == Wait(30s));
    CHECK(count.crashed(start + 19min) == Wait(30s));
    CHECK(count.crashed(start + 28min) == Wait(30s));
    CHECK(count.recent() == 5);
}

TEST_CASE("the ten minutes are any ten, not those since the first crash") {
    CrashCount count;
    CHECK(count.crashed(start) == Wait(1s));
    CHECK(count.crashed(start + 9min) == Wait(5s));
    CHECK(count.crashed(start + 12min) == Wait(30s));
    CHECK(count.crashed(start + 18min) == disabled);
}

TEST_CASE("ten minutes without a crash reset the count, a millisecond less does not") {
    CrashCount count;
    CHECK(count.crashed(start) == Wait(1s));
    CHECK(count.crashed(start + 10min) == Wait(1s));
    CHECK(count.recent() == 1);
    CHECK(count.crashed(start + 20min - 1ms) == Wait(5s));
    CHECK(count.crashed(start + 30min - 2ms) == Wait(30s));
    CHECK(count.crashed(start + 40min - 2ms) == Wait(1s));
}

TEST_CASE("what the owner restarted begins a new count") {
    CrashCount count;
    count.crashed(start);
    count.crashed(start + 1s);
    CHECK(count.crashed(start + 2s) == disabled);
    count.forget();
    CHECK(count.recent() == 0);
    CHECK(count.crashed(start + 3s) == Wait(1s));
    CHECK(count.crashed(start + 4s) == Wait(5s));
    CHECK(count.crashed(start + 5s) == disabled);
}

TEST_CASE("the jitter is at most a tenth, both ways, and not always the same") {
    bool less = false, more = false;
    for (int i = 0; i < 1000; ++i) {
        auto const wait = with_jitter(30s);
        REQUIRE(wait >= 27s);
        REQUIRE(wait <= 33s);
        less = less || wait < 30s, more = more || wait > 30s;
    }
    CHECK(less);
    CHECK(more);
    CHECK(with_jitter(1s) >= 900ms);
    CHECK(with_jitter(1s) <= 1100ms);
}
