// What a peer can make grow has a bound, and whoever exceeds it is the one who waits.
#include "unit/wire/peer_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>

using pfar::wire::PeerLimits;
using test::Over;
using test::PeerStage;

namespace {

PeerLimits small() {
    PeerLimits limits;
    limits.line = 64U << 10U, limits.waiting = 256U << 10U;
    limits.asked = 10, limits.unread = 8, limits.asking = 4;
    return limits;
}

std::string request(int id) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"m"})" + "\n";
}

/// Writes requests as long as they are taken, at most `most` bytes; how many bytes went in.
std::size_t flood(PeerStage& stage, std::size_t most) {
    std::string text, rest;
    std::size_t in = 0;
    for (int id = 0, idle = 0; in < most && idle < 50;) {
        if (rest.empty())
            for (int i = 0; i < 100; ++i) rest += request(++id);
        auto const put = stage.far.write_some(rest);
        rest.erase(0, put), in += put;
        idle = put == 0 ? idle + 1 : 0;
        test::turn(stage.context);
    }
    return in;
}

} // namespace

TEST_CASE("no more requests wait for an answer than the limit says") {
    PeerStage stage(small());
    for (int i = 0; i < 10; ++i) REQUIRE(stage.ask("m", ""));
    auto const refused = stage.ask("m", "");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().what == "10 requests already wait for its answer");
    stage.say(R"({"jsonrpc":"2.0","id":3,"result":1})");
    REQUIRE(stage.until([&] { return stage.replies.size() == 1; }));
    CHECK(stage.ask("m", ""));
    stage.peer->forget(4);
    CHECK(stage.ask("m", ""));
    CHECK_FALSE(stage.ask("m", ""));
}

TEST_CASE("no more bytes wait to be read than the limit says, and they are taken again once it reads") {
    PeerStage stage(small());
    std::string const params = "\"" + std::string(60'000, 'x') + "\"";
    std::size_t told = 0;
    while (stage.peer->tell("n", params)) REQUIRE(++told < 100);
    CHECK(told >= 5);
    CHECK_FALSE(stage.ask("m", params));
    std::size_t lines = 0;
    REQUIRE(stage.until([&] {
        auto const text = stage.far.read_some();
        lines += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
        return lines == told;
    }));
    CHECK(stage.peer->tell("n", params));
    CHECK(stage.peer->asked() == 0); // what did not fit was not asked
}

TEST_CASE("requests above the limit are refused, each under its id") {
    PeerStage stage(small());
    for (int id = 1; id <= 6; ++id) stage.far.write(request(id));
    REQUIRE(stage.until([&] { return stage.requests.size() == 4; }));
    auto const refused = stage.sent();
    CHECK(refused.find(R"("id":5,"error")") != std::string::npos);
    CHECK(refused.find(R"("id":6,"error")") != std::string::npos);
    stage.peer->answer("1", "1");
    stage.far.write(request(7));
    CHECK(stage.until([&] { return stage.requests.size() == 5; }));
}

TEST_CASE("who floods with requests and never reads is not read from, and nothing grows") {
    auto const over = GENERATE(Over::pipes, Over::socket);
    bool const answered = GENERATE(true, false);
    PeerStage stage(small(), {}, over);
    if (answered) stage.on_request = [&](auto const& message) { stage.peer->answer(message.id, R"({"roots":[]})"); };
    auto const in = flood(stage, 200U << 20U);
    CHECK(in < (4U << 20U)); // the kernel's buffers and ours, then it waits
    CHECK(stage.requests.size() <= 4);
    stage.on_request = nullptr;
    std::size_t read = 0;
    for (std::string text; !(text = stage.far.read_some()).empty(); test::turn(stage.context)) read += text.size();
    CHECK(read > 0);
    CHECK(flood(stage, 10'000) > 0); // it reads again, so it is read from again
}

TEST_CASE("who floods, never reads and dies is heard to end") {
    auto const over = GENERATE(Over::pipes, Over::socket);
    PeerStage stage(small(), {}, over);
    stage.on_request = [&](auto const& message) { stage.peer->answer(message.id, "{}"); };
    REQUIRE(stage.ask("m", ""));
    flood(stage, 200U << 20U);
    stage.far.close();
    REQUIRE(stage.until([&] { return stage.ended == 1; }));
    CHECK(stage.replies.size() == 1);
}

TEST_CASE("large answers that are not read are bounded by their bytes too") {
    PeerStage stage(small());
    std::string const large = "\"" + std::string(60'000, 'x') + "\"";
    stage.on_request = [&](auto const& message) { stage.peer->answer(message.id, large); };
    auto limits = small();
    flood(stage, 1U << 20U);
    std::size_t read = 0;
    stage.on_request = [](auto const&) {};
    for (std::string text; !(text = stage.far.read_some()).empty(); test::turn(stage.context)) read += text.size();
    CHECK(read < limits.waiting + 2 * limits.line + (256U << 10U)); // a pipe holds 64 KiB besides
}

TEST_CASE("after its input was closed, a flooder that was paused is still heard to its end") {
    auto const over = GENERATE(Over::pipes, Over::socket);
    PeerStage stage(small(), {}, over);
    stage.on_request = [&](auto const& message) { stage.peer->answer(message.id, "{}"); };
    flood(stage, 200U << 20U);
    stage.on_request = [](auto const&) {};
    stage.peer->close_output();
    stage.far.close_output();
    CHECK(stage.until([&] { return stage.ended == 1; }));
}

TEST_CASE("notifications and garbage without end cost nothing that stays") {
    PeerStage stage(small());
    for (int i = 0; i < 20'000; ++i) stage.say(i % 2 == 0 ? R"({"jsonrpc":"2.0","method":"n"})" : "garbage");
    REQUIRE(stage.until([&] { return stage.notifications.size() == 10'000 && stage.troubles.size() == 10'000; }));
    CHECK(stage.peer->troubles() == 10'000);
    CHECK(stage.sent().empty());
}

TEST_CASE("what was forgotten is remembered in bounded number") {
    PeerStage stage(small());
    for (int i = 0; i < 3000; ++i) {
        auto const number = stage.ask("m", "");
        REQUIRE(number);
        stage.peer->forget(*number);
        static_cast<void>(stage.far.read_some());
    }
    stage.say(R"({"jsonrpc":"2.0","id":3000,"result":1})");
    stage.say(R"({"jsonrpc":"2.0","id":1,"result":1})");
    REQUIRE(stage.until([&] { return stage.troubles.size() == 1; }));
    CHECK(stage.troubles[0] == "an answer to 1, which nobody asked");
}
