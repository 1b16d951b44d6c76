// How a session ends: by its client's last word, or all at once.
#include "unit/gateway/client_stage.hpp"

using namespace pfar;
using Stage = test::ClientStage;

namespace {

void look(Stage& stage, std::string_view id) {
    stage.ask(id, "tools/call", R"({"name":"a__look"})");
}

} // namespace

TEST_CASE("a client that has nothing open is closed when its input ends") {
    Stage stage;
    stage.open();
    stage.client->hear_end();
    CHECK(stage.ear->closed == "");
    CHECK(stage.gone == std::vector<std::string>{"s-1"});
    stage.client->hear_end(), stage.client->end("again");
    CHECK(stage.gone.size() == 1);
    stage.ask("1", "ping");
    CHECK(stage.ear->said.empty());
}

TEST_CASE("what was asked before the input ended is still answered, then the session is over") {
    Stage stage;
    stage.offer("a");
    stage.open();
    look(stage, "1"), look(stage, "2");
    stage.client->hear_end();
    CHECK_FALSE(stage.ear->closed);
    stage.answer("{}", 0);
    CHECK_FALSE(stage.ear->closed);
    stage.answer("{}", 1);
    CHECK(stage.ear->said.size() == 2);
    CHECK(stage.ear->closed == "");
    CHECK(stage.sent(0).cancelled.empty());
}

TEST_CASE("what waits for the owner when the input ends is withdrawn and answered") {
    Stage stage;
    stage.offer("a");
    stage.open();
    stage.ask("1", "tools/call", R"({"name":"a__put"})");
    CHECK(stage.pipeline.approvals().any());
    stage.client->hear_end();
    test::turn(stage.context);
    CHECK_FALSE(stage.pipeline.approvals().any());
    CHECK(stage.answer_to("1").at("result").at("isError") == true);
    CHECK(stage.ear->closed == "");
    CHECK(stage.servers.sent.empty());
}

TEST_CASE("cancelling the last call of one that is leaving ends it") {
    Stage stage;
    stage.offer("a");
    stage.open();
    look(stage, "1");
    stage.client->hear_end();
    stage.client->hear(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
    CHECK(stage.ear->closed == "");
}

TEST_CASE("one that is gone cancels all it asked for, and its outlet is not called again") {
    Stage stage;
    stage.offer("a");
    stage.open(R"({"elicitation":{}})");
    look(stage, "1"), look(stage, "2");
    stage.ask("3", "tools/call", R"({"name":"a__put"})");
    auto const said = stage.ear->said.size();
    stage.client->end("its host is gone");
    test::turn(stage.context);
    CHECK(stage.sent(0).cancelled == "its host is gone");
    CHECK(stage.sent(1).cancelled == "its host is gone");
    CHECK_FALSE(stage.pipeline.approvals().any());
    CHECK(stage.servers.sent.size() == 2);
    CHECK(stage.client->in_flight() == 0);
    CHECK_FALSE(stage.client->standing().open);
    stage.client->list_changed("tools"), stage.client->say("error", "x");
    stage.client->notified("/mcp/a.toml", "", "notifications/message", R"({"level":"error"})");
    stage.sent(0).task.talk->told("notifications/message", R"({"level":"error"})");
    test::turn(stage.context);
    CHECK(stage.ear->said.size() == said);
    CHECK_FALSE(stage.ear->closed); // it was its transport that said so
}

TEST_CASE("a session that goes while everything is under way leaves nothing behind") {
    for (int i = 0; i < 6; ++i) { // ASan is the judge
        Stage stage;
        stage.offer("a");
        stage.open(test::everything);
        stage.ask("1", "tools/call", R"({"name":"a__look","_meta":{"progressToken":1}})");
        stage.ask("2", "tools/call", R"({"name":"a__put"})");
        stage.client->list_changed("tools");
        auto const task = stage.sent().task;
        if (i % 2 == 0) stage.client->end("gone");
        if (i % 3 == 0) stage.client.reset();
        task.talk->progressed(R"({"progressToken":900,"progress":1})");
        task.talk->told("notifications/message", R"({"level":"error"})");
        auto const why = task.talk->asked({"elicitation/create", R"({"message":"x"})", [](bool, std::string const&) {},
                                           std::make_shared<wire::CancelSlot>()});
        if (i % 2 == 0) CHECK_FALSE(why.empty());
        if (i % 3 == 1) stage.answer("{}");
    }
}
