// What a client does while it waits, and JSON that is cut instead of parsed.
#include "control/members.hpp"
#include "support/process.hpp"
#include "unit/control/control_world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

using namespace pfar;
using control::Request;
using test::ControlWorld;
using test::has;
using Answer = ControlWorld::Answer;

namespace {

struct Wait {
    std::promise<void> asked;
    std::promise<boost::asio::steady_timer*> timer;
};

/// Tells three times, then answers when the timer is cancelled.
Answer slow(std::shared_ptr<Wait> wait, Request request) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, std::chrono::hours(1));
    for (int i = 0; i < 3; ++i) (void)request.caller->tell("progress", "{\"progress\":" + std::to_string(i) + "}");
    wait->timer.set_value(&timer);
    try {
        co_await timer.async_wait(boost::asio::use_awaitable);
    } catch (boost::system::system_error const&) {} // cancelled
    co_return std::string("{}");
}

} // namespace

TEST_CASE("what is told while an answer is waited for is heard at once, and somebody else beside it") {
    ControlWorld world;
    auto const wait = std::make_shared<Wait>();
    world.start({{"slow", [wait](Request request) { return slow(wait, std::move(request)); }}});
    auto client = world.greeted();
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    std::string all;
    control::Question question{"slow"};
    question.told = [&](std::string_view method, std::string_view params) {
        all += std::string(method) + std::string(params);
        if (has(all, "2}")) CHECK(::write(ends[1], "now", 3) == 3);
    };
    control::Beside const beside{[&](auto& waits) {
                                     waits.push_back({ends[0], POLLIN, 0});
                                 },
                                 [&](std::span<pollfd const> waits) {
                                     char said[8] = {};
                                     if (waits[0].revents == 0) return true;
                                     CHECK(::read(ends[0], said, sizeof said) == 3);
                                     auto* const timer = wait->timer.get_future().get();
                                     world.on_thread([&] { timer->cancel(); });
                                     return true;
                                 }};
    question.beside = &beside;
    CHECK(client.ask(question).value() == "{}");
    CHECK(all == R"(progress{"progress":0}progress{"progress":1}progress{"progress":2})");
    ::close(ends[0]), ::close(ends[1]);
}

TEST_CASE("whoever waits beside can have enough") {
    ControlWorld world;
    auto const wait = std::make_shared<Wait>();
    world.start({{"slow", [wait](Request request) { return slow(wait, std::move(request)); }}});
    auto client = world.greeted();
    control::Beside const enough{[](auto& /*waits*/) {}, [](auto /*waits*/) { return false; }};
    control::Question question{"slow"};
    question.beside = &enough;
    CHECK(client.ask(question).error().code == Errc::refused);
    CHECK(client.listen([](auto, auto) { return true; }, &enough).error().code == Errc::refused);
    auto* const timer = wait->timer.get_future().get();
    world.on_thread([&] { timer->cancel(); });
}

TEST_CASE("members come as they are written") {
    auto const members = control::members_of(R"( {"a" : 1e999 ,"\u0062\"":[ 1,2 ], "a":12345678901234567890123} )");
    REQUIRE(members);
    REQUIRE(members->size() == 3);
    CHECK((*members)[0] == control::Member("a", "1e999"));
    CHECK((*members)[1] == control::Member("b\"", "[ 1,2 ]"));
    CHECK((*members)[2] == control::Member("a", "12345678901234567890123"));
    for (auto const* const text : {"", "[]", "1", "{", "{}x", "{\"a\":}", "{\"a\":1,}", "\xff"})
        CHECK_FALSE(control::members_of(text));
    CHECK(control::members_of("{}")->empty());
    CHECK(control::elements_of("[1, {\"a\":2},\"x\"]").size() == 3);
    CHECK(control::is_json(" -1.5e3 "));
    CHECK_FALSE(control::is_json("01"));
}
