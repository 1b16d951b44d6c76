// A server that asks and tells clients: whose session hears it, whose turn it is, who subscribed to what.
#include "unit/servers/server_stage.hpp"

#include <algorithm>

using namespace pfar;
using namespace pfar::servers;
using Lines = std::vector<std::string>;

namespace {

/// What a process heard, and its calls that the test answers.
struct Far {
    Lines heard;
    std::vector<std::string> waiting; // ids
    wire::Peer* peer = nullptr;
};

/// A client's request and what the server asked and told it meanwhile.
struct Client {
    test::Later<Result<Told>> done;
    std::vector<wire::ServerRequest> asked;
    Lines told;
    std::string lacks; // why it cannot answer
    std::shared_ptr<wire::CancelSlot> cancel = std::make_shared<wire::CancelSlot>();
};
using ClientPtr = std::shared_ptr<Client>;

struct Stage : test::ServerStage {
    std::vector<std::shared_ptr<Far>> fars;
    Lines notices; // "session uri method"

    explicit Stage(std::function<void(config::ServerSpec&)> const& change = {}) : ServerStage(change) {
        common->notified = [this](Server const&, Notice const& notice) {
            notices.push_back(notice.session + "|" + notice.uri + "|" + notice.method);
        };
        starts.prepare = [this](test::FakeLife& life) { replace(life); };
        REQUIRE(until(State::running));
    }
    Stage(Stage const&) = delete;
    Stage& operator=(Stage const&) = delete;
    ~Stage() { common->notified = {}, starts.prepare = {}; }
    /// A process that keeps what it hears, and answers no call by itself.
    void replace(test::FakeLife& life) {
        int there[2], back[2];
        REQUIRE(::pipe2(there, O_CLOEXEC | O_NONBLOCK) == 0);
        REQUIRE(::pipe2(back, O_CLOEXEC | O_NONBLOCK) == 0);
        life.ends = {base::Fd(back[0]), base::Fd(there[1])};
        life.far =
            std::make_unique<wire::Peer>(context.get_executor(), wire::Ends{base::Fd(there[0]), base::Fd(back[1])});
        life.results["initialize"] =
            test::greeting("2025-11-25", R"({"tools":{},"resources":{"subscribe":true},"logging":{}})");
        life.results["resources/list"] = R"({"resources":[]})";
        life.results["resources/templates/list"] = R"({"resourceTemplates":[]})";
        for (auto const* const method : {"resources/subscribe", "resources/unsubscribe", "logging/setLevel"})
            life.results[method] = "{}";
        auto const far = std::make_shared<Far>();
        far->peer = life.far.get();
        fars.push_back(far);
        wire::Peer::Heard heard;
        heard.request = [&life, far](wire::Message const& message) {
            far->heard.push_back(fmt::format("{} {}", message.method, message.payload));
            auto const result = life.results.find(std::string(message.method));
            if (result != life.results.end()) return far->peer->answer(message.id, result->second);
            far->waiting.emplace_back(message.id);
        };
        heard.notification = [far](wire::Message const& message) {
            far->heard.push_back(fmt::format("{} {}", message.method, message.payload));
        };
        heard.trouble = [](std::string const&) {};
        heard.ended = [&life] { life.end("exit code 0"); };
        life.far->start(std::move(heard));
    }
    Far& far() { return *fars.back(); }
    std::size_t count(std::string_view line) {
        return static_cast<std::size_t>(std::count(far().heard.begin(), far().heard.end(), line));
    }

    ClientPtr call(std::string session, std::string method = "tools/call", std::string params = "{}") {
        auto const out = std::make_shared<Client>();
        wire::Forwarding ask;
        ask.session = std::move(session), ask.method = std::move(method), ask.tool = "echo";
        auto const talk = std::make_shared<wire::Talk>();
        talk->sent = [params = std::move(params)](std::uint64_t) { return params; };
        talk->asked = [out](wire::ServerRequest request) {
            if (out->lacks.empty()) out->asked.push_back(std::move(request));
            return out->lacks;
        };
        talk->told = [out](std::string_view said, std::string_view payload) {
            out->told.push_back(fmt::format("{} {}", said, payload));
        };
        ask.talk = talk, ask.cancel = out->cancel;
        out->done = test::begin(context, server->ask(std::move(ask)));
        settle();
        return out;
    }
    /// The oldest call that the process has.
    void answer() {
        REQUIRE_FALSE(far().waiting.empty());
        auto const id = far().waiting.front();
        far().waiting.erase(far().waiting.begin());
        far().peer->answer(id, R"({"content":[]})");
        settle();
    }
    std::shared_ptr<std::string> ask(std::string const& method = "elicitation/create") {
        auto const out = std::make_shared<std::string>();
        REQUIRE(far().peer->ask(method, R"({"message":"?"})", [out](wire::Reply const& reply) {
            *out = (reply.kind == wire::Reply::Kind::result ? "result " : "error ") + std::string(reply.payload);
        }));
        settle();
        return out;
    }
    void tell(std::string_view method, std::string_view params) {
        REQUIRE(far().peer->tell(method, params));
        settle();
    }
    void settle() {
        for (int i = 0; i < 20; ++i) test::turn(context);
    }
};

bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}
bool is_done(ClientPtr const& client) {
    return client->done->has_value();
}

} // namespace

TEST_CASE("a server's request goes to the session it works for, and the answer back to it") {
    Stage stage;
    auto const client = stage.call("s");
    auto const reply = stage.ask();
    REQUIRE(client->asked.size() == 1);
    CHECK(client->asked[0].method == "elicitation/create");
    CHECK(client->asked[0].params == R"({"message":"?"})");
    client->asked[0].answer(false, R"({"action":"accept", "x":1e400})");
    client->asked[0].answer(false, R"({"action":"decline"})"); // once
    stage.settle();
    CHECK(*reply == R"(result {"action":"accept", "x":1e400})");
    auto const second = stage.ask("sampling/createMessage");
    client->asked.at(1).answer(true, R"({"code":-1,"message":"no"})");
    stage.settle();
    CHECK(*second == R"(error {"code":-1,"message":"no"})");
    stage.answer();
    CHECK(is_done(client));
}

TEST_CASE("without anybody in flight, or with one that cannot, it is refused with the reason") {
    Stage stage;
    CHECK(has(*stage.ask(), "no client is in flight"));
    auto const client = stage.call("s");
    client->lacks = "the client in flight, vi, has no elicitation";
    CHECK(has(*stage.ask(), "vi, has no elicitation"));
    stage.answer();
    CHECK(has(*stage.ask(), "no client is in flight"));
    CHECK(client->asked.empty());
}

TEST_CASE("two calls of one session are one session") {
    Stage stage;
    auto const first = stage.call("s"), second = stage.call("s");
    stage.ask();
    CHECK(first->asked.size() + second->asked.size() == 1);
    auto const third = stage.call("s"); // and it need not wait for itself
    CHECK(stage.far().waiting.size() == 3);
}

TEST_CASE("with two sessions in flight nobody knows whose it is; from then on there is one at a time, first come first "
          "served") {
    Stage stage;
    auto const a = stage.call("a"), b = stage.call("b");
    CHECK(stage.far().waiting.size() == 2); // at once, until it asks
    CHECK(has(*stage.ask(), "several clients"));
    CHECK(a->asked.empty());
    CHECK(b->asked.empty());
    auto const c = stage.call("c"), a2 = stage.call("a"), d = stage.call("d"), c2 = stage.call("c");
    CHECK(stage.far().waiting.size() == 2);
    stage.answer();
    CHECK(stage.far().waiting.size() == 1); // b is still there
    stage.answer();
    CHECK(is_done(b));
    for (auto const& next : {c, a2, d, c2}) {
        REQUIRE(stage.far().waiting.size() == 1);
        stage.ask();
        CHECK(next->asked.size() == 1);
        stage.answer();
        CHECK(is_done(next));
    }
    CHECK(stage.far().waiting.empty());
}

TEST_CASE("who is cancelled while it waits for its turn leaves the line, and the next comes") {
    Stage stage;
    stage.ask(); // it is one that asks
    auto const a = stage.call("a"), b = stage.call("b"), c = stage.call("c");
    CHECK(stage.far().waiting.size() == 1);
    b->cancel->cancel("enough");
    stage.settle();
    REQUIRE(is_done(b));
    CHECK_FALSE(b->done->value());
    stage.answer();
    REQUIRE(stage.far().waiting.size() == 1);
    stage.ask();
    CHECK(c->asked.size() == 1);
}

TEST_CASE("a crash while others wait for their turn leaves none of them hanging") {
    Stage stage;
    stage.ask();
    auto const a = stage.call("a"), b = stage.call("b");
    stage.life().end("killed by SIGSEGV");
    REQUIRE(stage.until([&] { return is_done(a) && is_done(b); }));
    CHECK_FALSE(a->done->value());
    CHECK_FALSE(b->done->value());
}

TEST_CASE("a server takes its request back, and only its own") {
    Stage stage;
    auto const client = stage.call("s");
    stage.ask();
    stage.tell("notifications/cancelled", R"({"requestId":999})");
    stage.tell("notifications/cancelled", "{}");
    CHECK_FALSE(client->asked.at(0).cancel->cancelled());
    stage.tell("notifications/cancelled", R"({"requestId":1})");
    CHECK(client->asked.at(0).cancel->cancelled());
    client->asked[0].answer(false, "{}"); // late, and no harm
    stage.settle();
}

TEST_CASE("a server that takes many requests back may still ask") {
    Stage stage;
    auto const client = stage.call("s");
    for (int i = 1; i <= 300; ++i) {
        stage.ask();
        stage.tell("notifications/cancelled", fmt::format(R"({{"requestId":{}}})", i));
    }
    CHECK(client->asked.size() == 300);
}

TEST_CASE("what a process asked is taken back when it dies") {
    Stage stage;
    auto const client = stage.call("s");
    stage.ask();
    REQUIRE(client->asked.size() == 1);
    stage.life().end("killed by SIGSEGV");
    REQUIRE(stage.until([&] { return is_done(client); }));
    CHECK(client->asked[0].cancel->cancelled());
}

TEST_CASE("no more than 64 of its requests wait") {
    Stage stage;
    auto const client = stage.call("s");
    for (int i = 0; i < 64; ++i) stage.ask();
    CHECK(client->asked.size() == 64);
    CHECK(has(*stage.ask(), "too many"));
    client->asked[5].answer(false, "{}");
    stage.settle();
    stage.ask();
    CHECK(client->asked.size() == 65);
}

TEST_CASE("the server hears of the first who subscribes and of the last who leaves") {
    Stage stage;
    auto const x = R"({"uri":"file:///x"})";
    auto const subscribe = [&](char const* session) { return stage.call(session, "resources/subscribe", x); };
    for (auto const* const session : {"a", "b", "a", "c"}) {
        auto const client = subscribe(session);
        REQUIRE(is_done(client));
        CHECK(client->done->value().value().answer.payload == "{}");
    }
    CHECK(stage.count(fmt::format("resources/subscribe {}", x)) == 1);
    CHECK(is_done(stage.call("nobody", "resources/unsubscribe", x))); // who never came
    stage.call("a", "resources/unsubscribe", x);
    stage.server->close_session("b");
    stage.settle();
    CHECK(stage.count(fmt::format("resources/unsubscribe {}", x)) == 0);
    stage.server->close_session("c");
    stage.settle();
    CHECK(stage.count(fmt::format("resources/unsubscribe {}", x)) == 1);
    subscribe("d");
    CHECK(stage.count(fmt::format("resources/subscribe {}", x)) == 2);
}

TEST_CASE("a subscription that the server refuses is none") {
    Stage stage;
    stage.life().results.erase("resources/subscribe");
    auto const client = stage.call("a", "resources/subscribe", R"({"uri":"x"})");
    stage.far().peer->refuse(stage.far().waiting.at(0), -32601, "no");
    stage.settle();
    REQUIRE(is_done(client));
    CHECK(client->done->value().value().answer.is_error);
    stage.far().waiting.clear();
    stage.call("a", "resources/subscribe", R"({"uri":"x"})");
    CHECK(stage.far().waiting.size() == 1); // it is asked again
}

TEST_CASE("a new process is told of subscriptions and of the log level, before anybody asks it") {
    Stage stage;
    stage.call("a", "resources/subscribe", R"({"uri":"file:///\u00fc"})");
    stage.call("a", "resources/subscribe", R"({"uri":"gone"})");
    stage.call("a", "resources/unsubscribe", R"({"uri":"gone"})");
    stage.server->set_log_level("warning");
    stage.server->set_log_level("warning");
    stage.settle();
    CHECK(stage.count(R"(logging/setLevel {"level":"warning"})") == 1);
    stage.server->restart("by the owner");
    REQUIRE(stage.until([&] { return stage.fars.size() == 2 && stage.server->state() == State::running; }));
    stage.settle();
    CHECK(stage.count(R"(logging/setLevel {"level":"warning"})") == 1);
    CHECK(stage.count("resources/subscribe {\"uri\":\"file:///\xc3\xbc\"}") == 1);
    CHECK(stage.count(R"(resources/subscribe {"uri":"gone"})") == 0);
}

TEST_CASE("a server that does not log is not told how much") {
    Stage stage;
    stage.starts.prepare = [&](test::FakeLife& life) {
        stage.replace(life);
        life.results["initialize"] = test::greeting("2025-11-25", R"({"tools":{}})");
    };
    stage.server->restart("by the owner");
    REQUIRE(stage.until([&] { return stage.fars.size() == 2 && stage.server->state() == State::running; }));
    stage.server->set_log_level("debug");
    stage.settle();
    CHECK(stage.count(R"(logging/setLevel {"level":"debug"})") == 0);
}

TEST_CASE("what a server tells while it works goes to those it works for, once each, else to all who see it") {
    Stage stage;
    auto const log = R"({"level":"error","data":"x"})";
    stage.tell("notifications/message", log);
    CHECK(stage.notices == Lines{"||notifications/message"});
    auto const a = stage.call("a"), again = stage.call("a"), b = stage.call("b");
    stage.tell("notifications/message", log);
    CHECK(a->told.size() + again->told.size() == 1);
    CHECK(b->told == Lines{fmt::format("notifications/message {}", log)});
    CHECK(stage.notices.size() == 1);
    stage.tell("notifications/elicitation/complete", R"({"elicitationId":"1"})");
    CHECK(b->told.size() == 2);
    stage.tell("notifications/resources/updated", R"({"uri":"file:///x"})");
    CHECK(stage.notices.back() == "|file:///x|notifications/resources/updated");
    stage.tell("notifications/unknown", "{}");
    CHECK(stage.notices.size() == 2);
    CHECK(b->told.size() == 2);
}

TEST_CASE("where every session has its own process, what that asks and tells is for this session alone") {
    Stage stage([](config::ServerSpec& spec) { spec.share = base::Share::session; });
    auto const a = stage.call("a"), b = stage.call("b"); // b's process is the last
    REQUIRE(stage.until([&] { return stage.far().waiting.size() == 1; }));
    stage.ask();
    CHECK(b->asked.size() == 1);
    CHECK(a->asked.empty());
    stage.tell("notifications/message", R"({"level":"info"})");
    CHECK(a->told.empty());
    stage.answer();
    stage.tell("notifications/message", R"({"level":"info"})");
    stage.tell("notifications/resources/updated", R"({"uri":"u"})");
    CHECK(stage.notices == Lines{"b||notifications/message", "b|u|notifications/resources/updated"});
}
