// A server from its start to its end, and what follows when it dies.
#include "servers/host_stage.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <csignal>

using test::has;
using test::HostStage;
using test::json::object;

namespace {

/// Kills the server's own process, not the sandbox's first one.
void kill_server(HostStage const& stage, std::string const& name) {
    auto const all = stage.processes(name);
    REQUIRE(all.size() == 1);
    ::kill(all[0], SIGKILL);
}

/// Its tools are gone as soon as it is not running.
bool is_down(HostStage& stage, std::string const& name, std::string const& state) {
    auto const now = stage.listed(name);
    return now.at("state") == test::json::value(state) && now.at("tools") == test::json::value(0) &&
           stage.tools(name).empty();
}

} // namespace

TEST_CASE("servers start together, are called, and go with the host") {
    HostStage stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    for (auto const* const name : {"one", "two", "three"}) stage.server(name);
    REQUIRE(stage.begin());
    for (auto const* const name : {"one", "two", "three"}) {
        REQUIRE(stage.reaches(name, "running"));
        auto const now = stage.listed(name);
        CHECK(now.at("origin").is_string());
        CHECK(now.at("backend") == test::json::value(stage.setting().backend));
        CHECK(now.at("label") == test::json::value("internal"));
        CHECK(now.at("tools").to_number<int>() >= 30);
        CHECK(now.at("pid").to_number<int>() > 1);
        CHECK(now.at("restarts") == test::json::value(0));
        CHECK(now.at("blocked") == test::json::value(0));
        CHECK_FALSE(now.at("memory").as_string().empty());
        CHECK(stage.call(name, "echo", {{"text", std::string("hello ") + name}}).text == std::string("hello ") + name);
    }
    CHECK(stage.processes().size() == 3);
    CHECK(stage.end() == 0);
    CHECK(stage.processes().empty());
    CHECK(test::no_child_is_left());
    CHECK_FALSE(std::filesystem::exists(stage.socket()));
}

TEST_CASE("killed, a server loses its tools, comes back with them, and at the third time is disabled until the owner "
          "restarts it") {
    HostStage stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    stage.server("a");
    stage.server("b");
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    REQUIRE(stage.reaches("b", "running"));
    auto const tools = stage.tools("a").size();
    auto const neighbour = stage.number("b", "pid");
    for (int time = 1; time <= 2; ++time) {
        kill_server(stage, "a");
        REQUIRE(stage.soon([&] { return is_down(stage, "a", "backoff"); }, 5));
        CHECK(has(stage.word("a", "reason"), "SIGKILL"));
        CHECK(has(stage.word("a", "last_exit"), "SIGKILL"));
        auto const began = std::chrono::steady_clock::now();
        REQUIRE(stage.reaches("a", "running", 10));
        auto const took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        CHECK(took > (time == 1 ? 0.5 : 4.0)); // 1 s, 5 s, with jitter
        CHECK(took < (time == 1 ? 3.0 : 8.0));
        REQUIRE(stage.soon([&] { return stage.tools("a").size() == tools; }, 5));
        CHECK(stage.number("a", "restarts") == time);
        CHECK(stage.call("a", "counter").text == "1");
    }
    kill_server(stage, "a");
    REQUIRE(stage.soon([&] { return is_down(stage, "a", "disabled"); }, 5));
    CHECK(has(stage.word("a", "reason"), "pfar restart a"));
    auto const refused = stage.call("a", "echo", {{"text", "x"}});
    CHECK_FALSE(refused.ok);
    CHECK(has(refused.text, "pfar restart a"));
    CHECK(refused.seconds < 2);
    CHECK(has(stage.log(), "pfar restart a")); // the owner is told there too
    CHECK(stage.number("b", "pid") == neighbour);

    REQUIRE(stage.end() == 0);
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("b", "running"));
    CHECK(stage.reaches("a", "disabled", 2));
    CHECK(has(stage.word("a", "reason"), "pfar restart a"));
    auto const revived = stage.pfar({"restart", "a"});
    CAPTURE(revived.out, revived.err);
    CHECK(revived.status == 0);
    CHECK(stage.reaches("a", "running"));
    CHECK(stage.tools("a").size() == tools);
    REQUIRE(stage.end() == 0);
    REQUIRE(stage.begin());
    CHECK(stage.reaches("a", "running")); // and that is remembered too
}

TEST_CASE("calls in flight fail at once when their server dies, and say how it died") {
    HostStage stage(test::somebody());
    stage.server("a");
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    std::vector<std::int64_t> waiting;
    for (int i = 0; i < 20; ++i) waiting.push_back(stage.control().send("call", HostStage::call_params("a", "mute")));
    REQUIRE(stage.soon([&] { return stage.number("a", "calls_in_flight") == 20; }));
    auto const crash = stage.call("a", "crash", {{"signal", SIGSEGV}, {"say", "my last words"}});
    CHECK_FALSE(crash.ok);
    CHECK(crash.seconds < 1);
    CHECK(has(crash.text, "SIGSEGV"));
    CHECK(has(crash.text, "my last words"));
    for (auto const id : waiting) {
        auto const lost = HostStage::called(stage.control().wait(id, std::chrono::seconds(1)));
        CHECK_FALSE(lost.ok);
        CHECK(has(lost.text, "SIGSEGV"));
    }
    CHECK(has(stage.word("a", "last_exit"), "SIGSEGV"));
    CHECK(has(stage.word("a", "stderr"), "my last words"));
}

TEST_CASE("how a server ended is said in words") {
    HostStage stage(test::somebody());
    stage.server("a");
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    CHECK(has(stage.call("a", "crash", {{"code", 42}}).text, "42"));
    REQUIRE(stage.reaches("a", "running"));
    CHECK(has(stage.call("a", "half_line").text,
              "")); // returned 0 in the middle of a line: still an end nobody asked for
    CHECK(stage.reaches("a", "backoff", 3));
}

TEST_CASE("a call to a server that is down says at once when it comes back") {
    HostStage stage(test::somebody());
    stage.server("a");
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    kill_server(stage, "a");
    REQUIRE(stage.reaches("a", "backoff", 5));
    auto const refused = stage.call("a", "echo", {{"text", "x"}});
    CHECK_FALSE(refused.ok);
    CHECK(refused.seconds < 0.5);
    CHECK(has(refused.text, "started again in"));
    REQUIRE(stage.reaches("a", "running"));
    CHECK(stage.call("a", "echo", {{"text", "back"}}).text == "back");
}

TEST_CASE("killed, the host takes every process along, and the next one starts clean") {
    HostStage stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    for (auto const* const name : {"one", "two"}) stage.server(name);
    stage.server("fork", {{"--ignore-sigterm", "--ignore-eof"}, "", ""});
    REQUIRE(stage.begin());
    for (auto const* const name : {"one", "two", "fork"}) REQUIRE(stage.reaches(name, "running"));
    CHECK(stage.call("fork", "fork_children", {{"count", 5}, {"setsid", true}}).text == "5");
    REQUIRE(stage.processes("fork").size() == 6);
    stage.kill_host();
    auto const began = std::chrono::steady_clock::now();
    CHECK(stage.soon([&] { return stage.processes().empty(); }, 5));
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(2));
    CHECK(test::no_child_is_left());
    CHECK(std::filesystem::exists(stage.socket())); // nobody was there to remove it
    REQUIRE(stage.begin());
    for (auto const* const name : {"one", "two", "fork"}) CHECK(stage.reaches(name, "running"));
    CHECK(stage.processes().size() == 3);
}

TEST_CASE("a server that hears neither the end nor SIGTERM is killed with all its children") {
    HostStage stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    stage.server("a", {{"--ignore-sigterm", "--ignore-eof"}, "", ""});
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    CHECK(stage.call("a", "fork_children", {{"count", 3}, {"setsid", true}}).text == "3");
    REQUIRE(stage.processes("a").size() == 4);
    auto const began = std::chrono::steady_clock::now();
    REQUIRE(stage.end() == 0);
    auto const took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    CHECK(took > 7); // 5 s for the end of its input, 3 s for the signal
    CHECK(took < 11);
    CHECK(stage.processes().empty());
    CHECK(test::no_child_is_left());
}

TEST_CASE("a server that ends with its input ends at once, and its children too") {
    HostStage stage(GENERATE(from_range(test::people())));
    stage.server("a");
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    CHECK(stage.call("a", "fork_children", {{"count", 3}, {"setsid", true}}).text == "3");
    auto const began = std::chrono::steady_clock::now();
    REQUIRE(stage.end() == 0);
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(3));
    CHECK(stage.processes().empty());
    CHECK(test::no_child_is_left());
}

TEST_CASE("disable stops a server, enable starts it, restart makes it a new process") {
    HostStage stage(test::somebody());
    stage.server("a");
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    auto const first = stage.call("a", "nonce").text;
    stage.ask("restart", {{"server", "a"}, {"wait", true}});
    REQUIRE(stage.reaches("a", "running"));
    CHECK(stage.call("a", "nonce").text != first);
    CHECK(stage.number("a", "crashes") == 0);
    stage.ask("disable", {{"server", "a"}});
    REQUIRE(stage.reaches("a", "disabled"));
    CHECK(stage.soon([&] { return stage.processes("a").empty(); }));
    stage.ask("enable", {{"server", "a"}});
    CHECK(stage.reaches("a", "running"));
}

TEST_CASE("a call to a server that is being stopped is refused, and the host goes on") {
    HostStage stage(test::somebody());
    stage.server("a", {{"--ignore-eof"}, "", ""}); // it takes 5 s to stop
    stage.server("b");
    REQUIRE(stage.begin());
    REQUIRE(stage.reaches("a", "running"));
    REQUIRE(stage.reaches("b", "running"));
    auto other = stage.connect();
    REQUIRE(other.ok());
    auto const disabled = other.send("disable", {{"server", "a"}});
    for (int i = 0; i < 20; ++i) {
        auto const refused = stage.call("a", "echo", {{"text", "x"}});
        CHECK(refused.text != "(no answer)");
        CHECK(refused.seconds < 10);
    }
    CHECK(stage.call("b", "echo", {{"text", "here"}}).text == "here");
    CHECK(other.wait(disabled));
    CHECK(stage.reaches("a", "disabled"));
}

TEST_CASE("calls that come while a server dies are answered, one way or the other") {
    HostStage stage(test::somebody());
    for (int i = 0; i < 6; ++i) stage.server("s" + std::to_string(i));
    REQUIRE(stage.begin());
    for (int i = 0; i < 6; ++i) {
        auto const name = "s" + std::to_string(i);
        REQUIRE(stage.reaches(name, "running"));
        std::vector<std::int64_t> all;
        for (int call = 0; call < 400; ++call) {
            all.push_back(stage.control().send("call", HostStage::call_params(name, "echo", {{"text", "x"}})));
            if (call == 100) kill_server(stage, name);
        }
        std::size_t answered = 0;
        for (auto const id : all) answered += stage.control().wait(id, std::chrono::seconds(10)) ? 1 : 0;
        REQUIRE(answered == 400);
    }
    CHECK(stage.control().strays() == 0);
}
