// A session over two real pipes, with a Party that the test plays.
#include "gateway/stdio.hpp"

#include "unit/wire/far_end.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;
using Texts = std::vector<std::string>;

namespace {

struct Guest final : gateway::Party {
    Texts heard;
    int ends_heard = 0;
    std::optional<std::string> over;
    std::function<void(std::string_view)> on_hear;
    std::function<void()> on_end;
    std::string nothing;

    void hear(std::string_view text) override {
        heard.emplace_back(text);
        if (on_hear) on_hear(text);
    }
    void hear_end() override {
        ++ends_heard;
        if (on_end) on_end();
    }
    void end(std::string const& why) override { over = why; }
    [[nodiscard]] std::string const& protocol() const override { return nothing; }
    [[nodiscard]] std::size_t in_flight() const override { return 0; }
    [[nodiscard]] std::string const& id() const override { return nothing; }
};

struct Stage {
    boost::asio::io_context context;
    test::FarEnd far;
    std::shared_ptr<Guest> guest = std::make_shared<Guest>();
    Texts ended;
    std::shared_ptr<gateway::Stdio> stdio = std::make_shared<gateway::Stdio>(
        context.get_executor(), far.open(test::Over::pipes), [this](std::string const& why) { ended.push_back(why); });

    Stage() { stdio->start(guest); }
    Stage(Stage const&) = delete;
    Stage& operator=(Stage const&) = delete;
    ~Stage() {
        guest->on_hear = {}, guest->on_end = {};
        stdio.reset();
        test::turn(context);
    }
    bool until(std::function<bool()> const& holds) { return test::turn_until(context, holds); }
    std::string read() {
        test::turn(context);
        return far.read_some();
    }
};

} // namespace

TEST_CASE("each line is heard once, empty ones are not, and what is sent goes out as a line") {
    Stage stage;
    stage.far.write("{\"a\":1}\n\n  \t\r\n{\"b\":\xc3\xbc}\r\n");
    REQUIRE(stage.until([&] { return stage.guest->heard.size() == 2; }));
    CHECK(stage.guest->heard[0] == "{\"a\":1}");
    CHECK(stage.guest->heard[1].starts_with("{\"b\":\xc3\xbc}"));
    stage.stdio->send("one", {});
    stage.stdio->send("", {"5", true}); // nothing answers it
    stage.stdio->send("two", {"6", true});
    CHECK(stage.read() == "one\ntwo\n");
}

TEST_CASE("when the agent closes its input the session hears so, and is still answered") {
    Stage stage;
    stage.far.write("1\n");
    stage.far.close_output();
    REQUIRE(stage.until([&] { return stage.guest->ends_heard == 1; }));
    CHECK(stage.guest->heard.size() == 1);
    CHECK(stage.ended.empty());
    stage.stdio->send("answer", {});
    stage.stdio->close("");
    REQUIRE(stage.until([&] { return stage.ended.size() == 1; }));
    CHECK(stage.ended[0].empty());
    CHECK(stage.far.read_some() == "answer\n");
    CHECK(stage.far.sees_end());
    CHECK_FALSE(stage.guest->over); // it was the session's own word
}

TEST_CASE("an input that ends within a line is told so") {
    Stage stage;
    stage.far.write(R"({"jsonrpc")");
    stage.far.close_output();
    REQUIRE(stage.until([&] { return stage.guest->ends_heard == 1; }));
    CHECK(stage.read().find("-32700") != std::string::npos);
    CHECK(stage.guest->heard.empty());
}

TEST_CASE("what was sent before the close goes out, even if the agent reads slowly, and nothing after it") {
    Stage stage;
    std::string const large(3 << 20, 'x');
    stage.stdio->send(large, {});
    stage.stdio->close("the host is stopping");
    stage.stdio->send("too late", {});
    stage.stdio->close("again");
    CHECK(stage.ended.empty());
    std::string got;
    REQUIRE(stage.until([&] {
        got += stage.far.read_some();
        return !stage.ended.empty();
    }));
    while (true) {
        auto const more = stage.far.read_some();
        if (more.empty()) break;
        got += more;
    }
    CHECK(got.size() == large.size() + 1);
    CHECK(stage.ended == Texts{"the host is stopping"});
}

TEST_CASE("an agent that asks and does not read is not read from, and then heard again") {
    Stage stage;
    std::string const answer(256 << 10, 'x');
    stage.guest->on_hear = [&](std::string_view) { stage.stdio->send(answer, {}); };
    std::size_t asked = 0;
    for (int i = 0; i < 400; ++i) asked += stage.far.write_some("1\n") / 2, test::turn(stage.context);
    auto const heard = stage.guest->heard.size();
    REQUIRE(asked == 400);
    CHECK(heard < 200);
    CHECK(stage.stdio->waiting() < (std::size_t{48} << 20U));
    CHECK_FALSE(stage.guest->over);
    std::size_t read = 0;
    REQUIRE(stage.until([&] {
        read += stage.far.read_some().size();
        return stage.guest->heard.size() == asked;
    }));
    CHECK(stage.ended.empty());
}

TEST_CASE("an agent that makes us keep too much is sent away, once") {
    Stage stage;
    std::string const large(8 << 20, 'x');
    for (int i = 0; i < 10; ++i) stage.stdio->send(large, {});
    CHECK(stage.stdio->waiting() <= (std::size_t{48} << 20U));
    REQUIRE(stage.until([&] { return stage.ended.size() == 1; }));
    CHECK(stage.ended[0] == "the client does not read what it asked for");
    CHECK(stage.guest->over == stage.ended[0]);
    stage.stdio->send("x", {}), stage.stdio->close("y"), stage.stdio->abandon("z");
    test::turn(stage.context);
    CHECK(stage.ended.size() == 1);
}

TEST_CASE("an agent that no longer reads ends the session") {
    Stage stage;
    stage.guest->on_end = [&] { stage.stdio->close(""); }; // as a session does that has nothing open
    stage.far.close();
    stage.stdio->send("hello", {});
    REQUIRE(stage.until([&] { return stage.ended.size() == 1; }));
    CHECK(stage.guest->ends_heard == 1);
}

TEST_CASE("an agent that goes while last words wait for it does not keep the session for ever") {
    Stage stage;
    stage.stdio->send(std::string(3 << 20, 'x'), {});
    test::turn(stage.context);
    stage.stdio->close("the host is stopping");
    stage.far.close();
    for (int i = 0; i < 100; ++i) test::turn(stage.context);
    CHECK(stage.ended.size() == 1);
}

TEST_CASE("a line above 16 MiB is left out and answered, and the next one is heard") {
    Stage stage;
    auto const whole = std::string(17 << 20, 'x') + "\n2\n";
    std::string_view left = whole;
    REQUIRE(stage.until([&] {
        left.remove_prefix(stage.far.write_some(left));
        return left.empty();
    }));
    REQUIRE(stage.until([&] { return stage.guest->heard.size() == 1; }));
    CHECK(stage.guest->heard[0] == "2");
    CHECK(stage.read().find("-32600") != std::string::npos);
}

TEST_CASE("abandoned, the session ends and nothing is heard any more") {
    Stage stage;
    stage.stdio->abandon("whoever started it is gone");
    CHECK(stage.guest->over == "whoever started it is gone");
    CHECK(stage.ended == Texts{"whoever started it is gone"});
    (void)stage.far.write_some("1\n");
    test::turn(stage.context);
    CHECK(stage.guest->heard.empty());
}

TEST_CASE("a session may end itself, and its transport, from within what it hears") {
    Stage stage;
    stage.guest->on_hear = [&](std::string_view) {
        stage.stdio->close("enough");
        stage.guest.reset();
        stage.guest = std::make_shared<Guest>();
    };
    stage.far.write("1\n2\n3\n");
    REQUIRE(stage.until([&] { return stage.ended.size() == 1; }));
    CHECK(stage.guest->heard.empty());
}
