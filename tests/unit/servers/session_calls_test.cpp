// Questions: deadlines, progress, cancellation, and the end.
#include "unit/servers/session_stage.hpp"

using namespace pfar;
using namespace pfar::servers;
using namespace std::chrono_literals;
using test::SessionStage;
using Clock = std::chrono::steady_clock;

namespace {

using Asked = test::Later<Result<Answer>>;

std::string progress_line(std::uint64_t token) {
    return fmt::format(
        R"({{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},"progress":1}}}})", token);
}

bool is_done(Asked const& asked) {
    return asked->has_value();
}

} // namespace

TEST_CASE("answers come back as they are, errors as answers") {
    SessionStage stage;
    stage.open();
    auto const first = stage.ask({"tools/call", R"({"name":"a"})"}), second = stage.ask({"prompts/get", ""});
    auto const call = stage.next(), get = stage.next();
    CHECK(call.at("params").at("name") == "a");
    CHECK_FALSE(get.as_object().contains("params"));
    CHECK(stage.session->in_flight() == 2);
    stage.refuse(get, R"({"code":5,"message":"no"})");
    stage.answer(call, R"({"n": 1.50})");
    REQUIRE(stage.until([&] { return is_done(first) && is_done(second); }));
    CHECK_FALSE((**first)->is_error);
    CHECK((**first)->payload == R"({"n": 1.50})");
    CHECK((**second)->is_error);
    CHECK((**second)->payload == R"({"code":5,"message":"no"})");
    CHECK(stage.session->in_flight() == 0);
}

TEST_CASE("a question without an answer times out, the server is told, and a late answer is no trouble") {
    SessionStage stage;
    stage.open();
    auto const asked = stage.ask({"tools/call", "{}", 30ms, 30ms});
    auto const call = stage.next();
    REQUIRE(stage.until([&] { return is_done(asked); }));
    CHECK((*asked)->error().code == Errc::timeout);
    CHECK((*asked)->error().what.starts_with("it did not answer tools/call within "));
    auto const told = stage.next();
    CHECK(told.at("method") == "notifications/cancelled");
    CHECK(told.at("params").at("requestId") == call.at("id"));
    stage.answer(call, "{}");
    auto const next = stage.ask({"tools/call", "{}"});
    stage.answer(stage.next(), "{}");
    REQUIRE(stage.until([&] { return is_done(next); }));
    CHECK(stage.troubles.empty());
}

TEST_CASE("without its own time a question has that of the server's file") {
    SessionTask task;
    task.timeouts.call = 40ms;
    SessionStage stage(std::move(task));
    stage.open();
    auto const begun = Clock::now();
    auto const asked = stage.ask({"tools/call", "{}"});
    REQUIRE(stage.until([&] { return is_done(asked); }));
    CHECK((*asked)->error().code == Errc::timeout);
    CHECK(Clock::now() - begun >= 40ms);
}

TEST_CASE("progress renews the deadline, up to call_max and not beyond") {
    SessionStage stage;
    stage.open();
    auto const token = stage.session->new_token();
    std::size_t heard = 0;
    auto const begun = Clock::now();
    auto const asked = stage.ask({"tools/call", "{}", 300ms, 900ms, token, [&](std::string_view) { ++heard; }});
    stage.next();
    REQUIRE(stage.until([&] {
        stage.say(progress_line(token));
        return is_done(asked);
    }));
    auto const took = Clock::now() - begun;
    CHECK((*asked)->error().code == Errc::timeout);
    CHECK(took >= 900ms);
    CHECK(took < 5s);
    CHECK(heard > 3);
}

TEST_CASE("progress of another token, of none, or after the end renews nothing and is no trouble") {
    SessionStage stage;
    stage.open();
    auto const token = stage.session->new_token();
    std::size_t heard = 0;
    auto const asked = stage.ask({"tools/call", "{}", 150ms, 10s, token, [&](std::string_view) { ++heard; }});
    stage.next();
    auto const begun = Clock::now();
    REQUIRE(stage.until([&] {
        stage.say(progress_line(token + 1));
        stage.say(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":")" +
                  std::to_string(token) + "\"}}");
        stage.say(R"({"jsonrpc":"2.0","method":"notifications/progress"})");
        return is_done(asked);
    }));
    CHECK(Clock::now() - begun < 5s);
    stage.say(progress_line(token));
    test::turn(stage.context);
    CHECK(heard == 0);
    CHECK(stage.troubles.empty());
    CHECK(stage.notifications.empty());
}

TEST_CASE("whoever hears of progress may cancel the call, and what it holds lives until it returns") {
    SessionStage stage;
    stage.open();
    auto const token = stage.session->new_token();
    auto const cancel = std::make_shared<pfar::wire::CancelSlot>();
    std::string seen;
    Session::Question question{"tools/call", "{}", {}, {}, token};
    question.cancel = cancel;
    question.progress = [&seen, cancel, big = std::string(100, 'p')](std::string_view params) {
        cancel->cancel("enough");
        seen = big + std::string(params);
    };
    auto const asked = stage.ask(std::move(question));
    stage.next();
    stage.say(progress_line(token));
    REQUIRE(stage.until([&] { return is_done(asked); }));
    CHECK(seen.starts_with(std::string(100, 'p') + "{"));
    CHECK((*asked)->error().code == Errc::refused);
}

TEST_CASE("a cancelled question is answered at once, the server is told why, and a late answer is no trouble") {
    SessionStage stage;
    stage.open();
    auto const cancel = std::make_shared<pfar::wire::CancelSlot>();
    auto const asked = stage.ask({"tools/call", "{}", {}, {}, 0, {}, cancel});
    auto const call = stage.next();
    cancel->cancel("the \"user\" said so");
    cancel->cancel("twice");
    REQUIRE(stage.until([&] { return is_done(asked); }));
    CHECK((*asked)->error().code == Errc::refused);
    CHECK((*asked)->error().what == "it was cancelled");
    auto const told = stage.next();
    CHECK(told.at("method") == "notifications/cancelled");
    CHECK(told.at("params").at("requestId") == call.at("id"));
    CHECK(told.at("params").at("reason") == "the \"user\" said so");
    stage.answer(call, "{}");
    CHECK(stage.rest().empty());
    CHECK(stage.troubles.empty());
}

TEST_CASE("what was cancelled before it was asked is answered, and what is cancelled after its answer stays answered") {
    SessionStage stage;
    stage.open();
    auto const early = std::make_shared<pfar::wire::CancelSlot>(), late = std::make_shared<pfar::wire::CancelSlot>();
    early->cancel("before");
    auto const first = stage.ask({"tools/call", "{}", {}, {}, 0, {}, early});
    REQUIRE(stage.until([&] { return is_done(first); }));
    CHECK((*first)->error().code == Errc::refused);
    stage.rest();
    auto const second = stage.ask({"tools/call", "{}", {}, {}, 0, {}, late});
    stage.answer(stage.next(), "{}");
    REQUIRE(stage.until([&] { return is_done(second); }));
    late->cancel("too late");
    CHECK(**second);
    CHECK(stage.rest().empty());
}

TEST_CASE("a ping is answered by anything, even an error, and is no call in flight") {
    SessionStage stage;
    stage.open();
    auto const answered = test::begin(stage.context, stage.session->ping(10s));
    auto const ping = stage.next();
    CHECK(ping.at("method") == "ping");
    CHECK(stage.session->in_flight() == 0);
    stage.refuse(ping, R"({"code":-32601,"message":"no ping"})");
    REQUIRE(stage.until([&] {
        CHECK(stage.session->in_flight() == 0); // at every moment, also between its answer and whoever waits for it
        return answered->has_value();
    }));
    CHECK(**answered);
    auto const missed = test::begin(stage.context, stage.session->ping(20ms));
    REQUIRE(stage.until([&] { return missed->has_value(); }));
    CHECK_FALSE(**missed);
    CHECK(stage.session->in_flight() == 0);
}

TEST_CASE("a ping to one that has ended fails, and counts for nothing") {
    SessionStage stage;
    stage.open();
    stage.far.close();
    REQUIRE(stage.until([&] { return stage.ended == 1; }));
    auto const answered = test::begin(stage.context, stage.session->ping(10s));
    stage.context.restart(), stage.context.poll_one();
    CHECK(stage.session->in_flight() == 0);
    REQUIRE(stage.until([&] { return answered->has_value(); }));
    CHECK_FALSE(**answered);
}

TEST_CASE("when it ends, those who wait are told why once that is known, and whoever asks then is refused") {
    SessionStage stage;
    stage.open();
    auto const first = stage.ask({"tools/call", "{}"}), second = stage.ask({"tools/call", "{}"});
    stage.next(), stage.next();
    stage.far.close();
    REQUIRE(stage.until([&] { return stage.ended == 1; }));
    CHECK_FALSE(is_done(first));
    auto const third = stage.ask({"tools/call", "{}"});
    REQUIRE(stage.until([&] { return is_done(third); }));
    CHECK((*third)->error().code == Errc::unavailable);
    stage.session->close(fail(Errc::unavailable, "it ended: exit code 3"));
    stage.session->close(fail(Errc::unavailable, "again"));
    REQUIRE(stage.until([&] { return is_done(first) && is_done(second); }));
    CHECK((*first)->error().what == "it ended: exit code 3");
    CHECK((*second)->error().what == "it ended: exit code 3");
    CHECK(stage.session->in_flight() == 0);
}

TEST_CASE("closing answers everything that waits, and whoever hears that may ask again and is refused") {
    SessionStage stage;
    stage.open();
    int lost = 0, refused = 0;
    for (int i = 0; i < 3; ++i)
        REQUIRE(stage.session->ask({"tools/call", "{}"}, [&](Result<Answer> const& answer) {
            lost += answer ? 0 : 1;
            refused += stage.session->ask({"tools/call", "{}"}, [](Result<Answer> const&) {}) ? 0 : 1;
        }));
    stage.far.write(R"({"jsonrpc":"2.0","method":"notifications/message"})"
                    "\n"); // not read yet
    stage.session->close(fail(Errc::unavailable, "over"));
    CHECK(lost == 3);
    CHECK(refused == 3);
    test::turn(stage.context);
    CHECK(stage.notifications.empty());
}

TEST_CASE("whoever hears an answer, progress or a timeout may drop the session") {
    for (int way = 0; way < 3; ++way) {
        SessionStage stage;
        stage.open();
        bool dropped = false;
        auto const drop = [&] { stage.session.reset(), dropped = true; };
        Session::Question question{"tools/call", "{}", 100ms, 100ms, stage.session->new_token()};
        if (way == 1) question.progress = [&](std::string_view) { drop(); };
        REQUIRE(stage.session->ask(std::move(question), [&](Result<Answer> const&) { drop(); }));
        auto const call = stage.next();
        if (way == 0)
            stage.say(R"([{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","method":"notifications/message"}])");
        if (way == 1) stage.say(progress_line(1) + "\n" + progress_line(1));
        REQUIRE(stage.until([&] { return dropped; }));
        test::turn(stage.context);
    }
}
