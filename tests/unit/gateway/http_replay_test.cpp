#include "gateway/http_replay.hpp"

#include <catch2/catch_test_macros.hpp>

using pfar::gateway::HttpLimits;
using pfar::gateway::HttpPlace;
using pfar::gateway::HttpReplay;

namespace {

std::string after(HttpReplay& replay, HttpPlace const& place) {
    std::string out;
    replay.each_after(place, [&](auto const& event) { out += event.message; });
    return out;
}

} // namespace

TEST_CASE("event ids are read back, and nothing else is") {
    HttpPlace place;
    CHECK(pfar::gateway::parse_event_id(pfar::gateway::event_id({7, 12}), place));
    CHECK((place.stream == 7 && place.position == 12));
    for (auto const* const text : {"", "-", "1", "1-", "-1", "1-2-3", "1-2 ", "a-b", "0x1-2", "1--2", "4294967296-0"})
        CHECK_FALSE(pfar::gateway::parse_event_id(text, place));
}

TEST_CASE("only events of the stream are given again, in order") {
    HttpLimits const limits;
    HttpReplay replay(limits);
    for (std::uint64_t i = 1; i <= 3; ++i) {
        CHECK(replay.keep({{1, i}, "a" + std::to_string(i)}));
        CHECK(replay.keep({{2, i}, "b" + std::to_string(i)}));
    }
    CHECK(after(replay, {1, 1}) == "a2a3");
    CHECK(after(replay, {2, 0}) == "b1b2b3");
    CHECK(after(replay, {3, 0}).empty());
}

TEST_CASE("what was sent goes before what was not") {
    HttpLimits limits;
    limits.replay = 1000;
    HttpReplay replay(limits);
    CHECK(replay.keep({{1, 1}, std::string(250, 'u'), false}));
    CHECK(replay.keep({{1, 2}, std::string(250, 's'), true}));
    CHECK(replay.keep({{1, 3}, std::string(250, 'n'), false}));
    CHECK(after(replay, {1, 0}) == std::string(250, 'u') + std::string(250, 'n'));
}

TEST_CASE("what waits is counted until it is sent") {
    HttpLimits limits;
    limits.requests = 2;
    HttpReplay replay(limits);
    CHECK(replay.keep({{0, 1}, "x"}));
    CHECK(replay.keep({{0, 2}, "q", false, true}));
    CHECK(replay.keep({{0, 3}, "q", false, true}));
    CHECK_FALSE(replay.keep({{0, 4}, "q", false, true}));
    CHECK(replay.unsent() > 0);
    after(replay, {0, 0});
    CHECK(replay.unsent() == 0);
    CHECK(replay.keep({{0, 5}, "q", false, true}));
}

TEST_CASE("a message larger than the whole buffer is not kept, and costs no other its place") {
    HttpLimits limits;
    limits.replay = 1000;
    HttpReplay replay(limits);
    CHECK(replay.keep({{1, 1}, "small"}));
    CHECK_FALSE(replay.fits(std::string(1000, 'x')));
    CHECK_FALSE(replay.keep({{1, 2}, std::string(1000, 'x')}));
    CHECK(after(replay, {1, 0}) == "small");
}
