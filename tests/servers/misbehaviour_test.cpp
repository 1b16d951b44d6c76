// Servers that lie, flood, answer late or twice: what they said wrong is told, the call is answered, and the neighbour does not notice.
#include "servers/host_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>

using test::has;
using test::HostStage;
using test::json::object;

namespace {

/// Everything the owner can read about it.
std::string told(HostStage& stage, std::string const& name) {
    return test::json::serialize(stage.ask("logs", {{"server", name}, {"lines", 1000}, {"follow", false}})) +
           stage.log();
}

/// Calls the good one until it holds; the longest that a call took.
double slowest_until(HostStage& stage, std::function<bool()> const& holds) {
    double slowest = 0;
    while (!holds()) {
        auto const call = stage.call("good", "echo", {{"text", "x"}});
        if (call.text != "x") FAIL(call.text); // counted once, not for each call
        slowest = std::max(slowest, call.seconds);
    }
    return slowest;
}

std::uintmax_t bytes_below(std::filesystem::path const& directory) {
    std::uintmax_t sum = 0;
    for (auto const& path : test::paths_below(directory)) {
        std::error_code error;
        if (std::filesystem::is_regular_file(path, error)) sum += std::filesystem::file_size(path, error);
    }
    return sum;
}

/// One that misbehaves and one that does not.
void begin_two(HostStage& stage, std::string const& tables = "") {
    stage.server("bad", {{}, "", tables});
    stage.server("good");
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("bad", "running"));
    REQUIRE(stage.reaches("good", "running"));
}

} // namespace

TEST_CASE("lies are survived, and the truth that follows is heard") {
    HostStage stage(test::somebody());
    begin_two(stage);
    auto const first = stage.call("bad", "nonce").text;
    for (auto const* const how : {"wrong_id", "string_id", "null_id", "huge_id", "bad_utf8", "nul", "no_jsonrpc",
                                  "both", "duplicate_key", "deep", "garbage"}) {
        CAPTURE(how);
        auto const call = stage.call("bad", "lie", {{"how", how}});
        CHECK(call.ok);
        CHECK(call.text == "the truth");
    }
    CHECK(stage.call("bad", "nonce").text == first); // all of it in one process
    CHECK(has(told(stage, "bad"), "which nobody asked"));
    CHECK(has(told(stage, "bad"), "Welcome to the fixture!"));
}

TEST_CASE("a result of the wrong type is an error, not a crash") {
    HostStage stage(test::somebody());
    begin_two(stage);
    auto const wrong = stage.control().ask("call", HostStage::call_params("bad", "lie", {{"how", "wrong_type"}}));
    REQUIRE(wrong);
    CHECK(stage.call("bad", "echo", {{"text", "still there"}}).text == "still there");
}

TEST_CASE("a second answer is told and reaches nobody") {
    HostStage stage(test::somebody());
    begin_two(stage);
    for (int i = 0; i < 10; ++i) CHECK(stage.call("bad", "twice").text == "first");
    CHECK(stage.call("bad", "echo", {{"text", "after"}}).text == "after");
    CHECK(stage.control().strays() == 0);
    CHECK(has(told(stage, "bad"), "which nobody asked"));
}

TEST_CASE("an answer in a batch is heard") {
    HostStage stage(test::somebody());
    stage.server("a", {{"--protocol", "2025-03-26"}, "", ""});
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    CHECK(stage.call("a", "batch").text == "in a batch");
}

TEST_CASE("a call that takes too long is an error when its time is over, and its late answer does no harm") {
    HostStage stage(test::somebody());
    begin_two(stage, "[timeouts]\ncall = \"500ms\"\n");
    auto const late = stage.call("bad", "late", {{"ms", 900}});
    CHECK_FALSE(late.ok);
    CHECK(late.seconds > 0.4);
    CHECK(late.seconds < 0.9);
    CHECK(stage.call("bad", "late", {{"ms", 400}}).text == "late"); // the first one's answer comes meanwhile
    CHECK(stage.call("bad", "echo", {{"text", "x"}}).text == "x");
    CHECK(stage.number("bad", "restarts") == 0);
}

TEST_CASE("progress renews a call's time, up to a maximum") {
    HostStage stage(test::somebody());
    begin_two(stage, "[timeouts]\ncall = \"500ms\"\ncall_max = \"2s\"\n");
    CHECK(stage.call("bad", "sleep", {{"ms", 1200}}).text == "slept");
    auto const endless = stage.call("bad", "sleep", {{"ms", 10000}});
    CHECK_FALSE(endless.ok);
    CHECK(endless.seconds > 1.8);
    CHECK(endless.seconds < 2.6);
}

TEST_CASE("floods of every kind neither stop the neighbour nor grow the host") {
    HostStage stage(test::somebody());
    begin_two(stage);
    static_cast<void>(stage.call("bad", "flood", {{"what", "stderr"}, {"bytes", 1 << 20}}));
    auto const before = stage.host_rss_kib();
    for (auto const* const what : {"stderr", "garbage", "notifications"}) {
        auto const flood =
            stage.control().send("call", HostStage::call_params("bad", "flood", {{"what", what}, {"bytes", 6 << 20}}));
        auto const slowest = slowest_until(stage, [&] { return stage.control().has(flood); });
        CAPTURE(what, slowest);
        CHECK(slowest < (PFAR_IS_SANITIZED ? 2 : 0.3));
        CHECK(HostStage::called(stage.control().wait(flood)).text == "flooded");
    }
    CHECK(stage.call("bad", "flood", {{"what", "huge_line"}, {"bytes", (16 << 20) + 1}}).text == "flooded");
    CHECK(stage.call("bad", "flood", {{"what", "huge_line"}, {"bytes", 60 << 20}}).text == "flooded");
    CHECK(stage.host_rss_kib() - before < (PFAR_IS_SANITIZED ? 120'000 : 40'000));
    CHECK(bytes_below(stage.pfar_home()) < (24U << 20U));
    CHECK(stage.number("bad", "restarts") == 0);
}

TEST_CASE("who asks without end and never reads is not read from, and the neighbour does not notice") {
    HostStage stage(test::somebody());
    begin_two(stage, "[timeouts]\ncall = \"2s\"\n");
    auto const before = stage.host_rss_kib();
    auto const flood = stage.control().send(
        "call", HostStage::call_params("bad", "flood", {{"what", "requests"}, {"bytes", 8 << 20}}));
    auto const slowest = slowest_until(stage, [&] { return stage.control().has(flood); });
    CHECK(slowest < (PFAR_IS_SANITIZED ? 1 : 0.3));
    CHECK_FALSE(HostStage::called(stage.control().wait(flood)).ok); // it waits in its own write for ever
    CHECK(stage.host_rss_kib() - before < 40'000);
    stage.ask("restart", {{"server", "bad"}, {"wait", true}});
    CHECK(stage.reaches("bad", "running"));
    CHECK(stage.call("bad", "echo", {{"text", "well again"}}).text == "well again");
}

TEST_CASE("a line of more than 16 MiB is told") {
    HostStage stage(test::somebody());
    begin_two(stage, "[timeouts]\ncall = \"3s\"\n");
    CHECK(stage.call("bad", "flood", {{"what", "huge_line"}, {"bytes", (16 << 20) + 1}}).text == "flooded");
    CHECK(has(told(stage, "bad"), "a line of more than 16 MiB"));
    auto const huge = stage.call("bad", "blob", {{"bytes", 17 << 20}}); // its answer is such a line
    CHECK_FALSE(huge.ok);
    CHECK(stage.call("bad", "echo", {{"text", "x"}}).text == "x");
}

TEST_CASE("large results come whole") {
    HostStage stage(test::somebody());
    begin_two(stage);
    for (auto const bytes : {1, 65'536, 1 << 20, 8 << 20}) {
        auto const blob = stage.call("good", "blob", {{"bytes", bytes}});
        CHECK(blob.text.size() == static_cast<std::size_t>(bytes));
    }
}

TEST_CASE("a server that never answers a call is not given up while it is in it") {
    HostStage stage(test::somebody());
    begin_two(stage, "[timeouts]\ncall = \"1s\"\n");
    CHECK_FALSE(stage.call("bad", "mute").ok);
    CHECK(stage.word("bad", "state") == "running");
}

TEST_CASE("a server that needs more memory than it may is killed, and that is what is said") {
    HostStage stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    stage.server("a", {{}, "", "[sandbox]\nmemory_limit = \"64m\"\n"});
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    CHECK_FALSE(stage.word("a", "memory").empty());
    auto const grown = stage.call("a", "grow", {{"mib", 200}, {"shared", true}});
    if (!grown.ok) CHECK(has(grown.text, "memory_limit")); // where it is sampled, the answer may be first
    REQUIRE(stage.soon([&] { return stage.number("a", "crashes") == 1; }));
    CHECK(has(stage.word("a", "last_exit"), "memory_limit = \"64m\""));
    CHECK(stage.reaches("a", "running"));
}

TEST_CASE("a server that stops answering pings is a crash", "[slow]") {
    HostStage stage(test::somebody());
    begin_two(stage);
    CHECK(stage.call("bad", "hang", {{"answer", true}}).text == "hanging");
    REQUIRE(stage.soon([&] { return stage.number("bad", "crashes") == 1; }, 90)); // three pings at 10 s
    CHECK(has(stage.word("bad", "last_exit"), "ping"));
    CHECK(stage.reaches("bad", "running", 10));
    CHECK(stage.number("good", "crashes") == 0);
}
