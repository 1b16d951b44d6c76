// The life of a server whose processes are made up: how it is, what it offers, and whom it answers meanwhile.
#include "unit/servers/server_stage.hpp"

using namespace pfar;
using namespace pfar::servers;
using Stage = test::ServerStage;

TEST_CASE("a server starts by itself, lists its tools, keeps the list and answers") {
    Stage stage;
    REQUIRE(stage.until(State::running));
    REQUIRE(stage.server->listing());
    CHECK(stage.server->listing()->tools.at(0).name == "echo");
    CHECK(read_listing(stage.dir / "fake.json", "same"));
    auto const called = stage.call();
    REQUIRE(stage.until([&] { return called->has_value(); }));
    CHECK(**called);
    CHECK(stage.server->in_flight() == 0);
}

TEST_CASE("a crash takes its tools away, answers whoever waits, and it is back after a second") {
    Stage stage;
    REQUIRE(stage.until(State::running));
    stage.life().results.erase("tools/call");
    auto const called = stage.call();
    test::turn(stage.context);
    stage.life().end("killed by SIGSEGV");
    REQUIRE(stage.until([&] { return called->has_value(); }));
    CHECK((*called)->error().what.find("killed by SIGSEGV") != std::string::npos);
    REQUIRE(stage.until(State::backoff));
    CHECK_FALSE(stage.server->listing());
    CHECK(stage.server->crashes() == 1);
    auto const refused = stage.call();
    REQUIRE(stage.until([&] { return refused->has_value(); }));
    CHECK_FALSE(**refused);
    REQUIRE(stage.until(State::running));
    CHECK(stage.server->restarts() == 1);
    CHECK(stage.starts.lives.size() == 2);
}

TEST_CASE("the third start that fails disables it, says how to start it again, and a restart revives it") {
    Stage stage;
    stage.starts.prepare = [](test::FakeLife& life) {
        life.far->close({Errc::unavailable, ""});
        life.end("exit code 9");
    };
    REQUIRE(stage.until([&] { return stage.server->crashes() == 3; }));
    REQUIRE(stage.until(State::disabled));
    CHECK(stage.server->disabled().find("exit code 9") != std::string::npos);
    CHECK(stage.server->disabled().find("pfar restart fake") != std::string::npos);
    CHECK(stage.told.back() == "crash disabled");
    auto const refused = stage.call();
    REQUIRE(stage.until([&] { return refused->has_value(); }));
    CHECK((*refused)->error().code == Errc::refused);
    stage.starts.prepare = {};
    stage.server->restart("by the owner");
    REQUIRE(stage.until(State::running));
    CHECK(stage.server->disabled().empty());
}

TEST_CASE("one that was disabled in an earlier life stays so, and one without autostart waits for its first call") {
    Stage disabled({}, "it crashed");
    REQUIRE(disabled.until(State::disabled));
    test::turn(disabled.context);
    CHECK(disabled.starts.lives.empty());
    Stage waiting([](config::ServerSpec& spec) { spec.autostart = false; });
    test::turn(waiting.context);
    CHECK(waiting.server->state() == State::stopped);
    CHECK(waiting.starts.lives.empty());
    auto const called = waiting.call();
    REQUIRE(waiting.until([&] { return called->has_value(); }));
    CHECK(**called);
}

TEST_CASE("of a stateless server every call has a process of its own, and the next one waits already") {
    Stage stage([](config::ServerSpec& spec) { spec.stateful = false; });
    REQUIRE(stage.until(State::running));
    for (int i = 0; i < 3; ++i) {
        auto const called = stage.call();
        REQUIRE(stage.until([&] { return called->has_value(); }));
        CHECK(**called);
        REQUIRE(stage.until([&] { return stage.server->waiting_processes() == 1; }));
    }
    CHECK(stage.starts.lives.size() == 5); // one that listed, three that were called, one that waits
    CHECK(stage.server->crashes() == 0);
}

TEST_CASE("where every session has its own process, one that ends takes only its own along") {
    Stage stage([](config::ServerSpec& spec) { spec.share = base::Share::session; });
    REQUIRE(stage.until(State::running));
    for (auto const* const session : {"a", "b", "a"}) {
        auto const called = stage.call(session);
        REQUIRE(stage.until([&] { return called->has_value(); }));
        CHECK(**called);
    }
    CHECK(stage.server->processes().size() == 2);
    stage.server->close_session("a");
    stage.server->close_session("nobody");
    CHECK(stage.server->processes().size() == 1);
    CHECK(stage.server->crashes() == 0);
}
