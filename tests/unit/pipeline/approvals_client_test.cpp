// Approvals that the client itself is asked for, what withdraws them, and those for a whole session.
#include "unit/pipeline/approvals_stage.hpp"

using namespace pfar;
using pipeline::Answer;
using Stage = test::ApprovalsStage;
using Kind = Stage::Kind;
using Told = std::vector<std::string>;

TEST_CASE("the client's own answer counts, and is told as its") {
    for (auto const answer : {Answer::yes, Answer::no, Answer::session}) {
        Stage stage;
        auto const call = stage.settle(stage.of_client());
        REQUIRE(stage.asked.size() == 1);
        CHECK(stage.asked[0]->row.id == stage.only()); // the queue shows it too
        stage.asked[0]->answer(answer);
        test::turn(stage.context);
        REQUIRE(call->has_value());
        CHECK((*call)->kind == (answer == Answer::no ? Kind::no : Kind::yes));
        CHECK_FALSE(stage.asked[0]->taken_back);
        CHECK(stage.told.back() == (answer == Answer::no ? "denied by client" : "approved by client"));
    }
}

TEST_CASE("what is settled elsewhere is taken back from the client, and its answer counts no more") {
    Stage stage;
    auto const call = stage.settle(stage.of_client());
    CHECK(stage.decide(stage.only(), Answer::no));
    CHECK(stage.asked[0]->taken_back);
    stage.asked[0]->answer(Answer::yes);
    test::turn(stage.context);
    CHECK((*call)->kind == Kind::no);
    CHECK_FALSE(stage.approvals->any());
}

TEST_CASE("a client that answers after the wait is heard when the call is repeated") {
    Stage stage(test::PipelineStage::hurried());
    CHECK((*stage.settle(stage.of_client()))->kind == Kind::waiting);
    CHECK_FALSE(stage.asked[0]->taken_back);
    stage.asked[0]->answer(Answer::yes);
    CHECK((*stage.settle(stage.of_client()))->kind == Kind::yes);
    CHECK(stage.asked.size() == 1); // it was not asked a second time
    CHECK((*stage.settle(stage.of_client()))->kind == Kind::waiting);
}

TEST_CASE("a client that answers at once is heard") {
    Stage stage;
    auto question = stage.question();
    question.ask = [](pipeline::ApprovalRow const&,
                      std::function<void(Answer)> const& answer) -> std::function<void()> {
        answer(Answer::yes);
        return {};
    };
    auto const call = stage.settle(std::move(question));
    REQUIRE(call->has_value());
    CHECK((*call)->kind == Kind::yes);
    CHECK_FALSE(stage.approvals->any());
}

TEST_CASE("a second answer changes nothing") {
    Stage stage;
    auto const call = stage.settle(stage.of_client());
    auto const one = stage.asked.at(0);
    one->answer(Answer::yes), one->answer(Answer::no), one->answer(Answer::session);
    test::turn(stage.context);
    CHECK((*call)->kind == Kind::yes);
    CHECK(stage.told == Told{"asked", "approved by client"});
    CHECK_FALSE(stage.settle(stage.question())->has_value()); // the "session" did not count
}

TEST_CASE("a yes after a no, before the call has noticed, changes nothing") {
    Stage stage;
    auto const call = stage.settle(stage.of_client());
    auto const one = stage.asked.at(0);
    one->answer(Answer::no), one->answer(Answer::yes);
    test::turn(stage.context);
    CHECK((*call)->kind == Kind::no);
}

TEST_CASE("a yes after it was cancelled, before the call has noticed, changes nothing") {
    Stage stage;
    auto const call = stage.settle(stage.of_client());
    stage.cancel->cancel("the client cancelled it");
    stage.asked.at(0)->answer(Answer::yes);
    test::turn(stage.context);
    CHECK((*call)->kind == Kind::withdrawn);
}

TEST_CASE("cancelling the call withdraws the question everywhere") {
    Stage stage;
    auto const call = stage.settle(stage.of_client());
    stage.cancel->cancel("the client cancelled it");
    test::turn(stage.context);
    REQUIRE(call->has_value());
    CHECK((*call)->kind == Kind::withdrawn);
    CHECK(stage.asked[0]->taken_back);
    CHECK_FALSE(stage.approvals->any());
    CHECK(stage.told == Told{"asked", "withdrawn"});
    auto const late = stage.settle(stage.of_client()); // cancelled before it begins
    REQUIRE(late->has_value());
    CHECK((*late)->kind == Kind::withdrawn);
}

TEST_CASE("a session that ends takes its questions, its unused yes and its grants along, and no other's") {
    Stage stage(test::PipelineStage::hurried());
    auto other = stage.question();
    other.standing = test::PipelineStage::session("s-2");
    stage.settle(other);
    stage.settle(stage.of_client("1"));
    stage.settle(stage.question("2"));
    for (auto const& row : stage.approvals->rows())
        if (row.arguments == "2") CHECK(stage.decide(row.id, Answer::yes));
    stage.approvals->close_session("s-1");
    CHECK(stage.asked[0]->taken_back);
    CHECK(stage.approvals->rows().size() == 1);
    CHECK((*stage.settle(stage.question("2")))->kind == Kind::waiting); // a session of the same name has nothing of it
    CHECK((*stage.settle(other))->kind == Kind::waiting);
    CHECK(stage.approvals->rows().size() == 2);
}

TEST_CASE("for the session: the tool no longer asks, whatever its arguments, until something rises") {
    enum class Change { none, label, taint, pin, tool, session };
    for (auto const change : {Change::none, Change::label, Change::taint, Change::pin, Change::tool, Change::session}) {
        Stage stage(test::PipelineStage::hurried());
        stage.standing->label = base::Label::internal, stage.standing->taint = base::Taint::extracted;
        stage.settle(stage.question());
        REQUIRE(stage.decide(stage.only(), Answer::session));
        CHECK((*stage.settle(stage.question("anything")))->kind == Kind::yes);
        auto question = stage.question("other");
        if (change == Change::label) stage.standing->label = base::Label::sensitive;
        if (change == Change::taint) stage.standing->taint = base::Taint::raw;
        if (change == Change::pin) question.pin = "changed";
        if (change == Change::tool) question.subject = "delete";
        if (change == Change::session) question.standing = test::PipelineStage::session("s-2");
        CHECK((*stage.settle(question))->kind == (change == Change::none ? Kind::yes : Kind::waiting));
        if (change != Change::label && change != Change::pin) continue;
        stage.standing->label = base::Label::internal; // what has lapsed stays so
        CHECK((*stage.settle(stage.question("third")))->kind == Kind::waiting);
    }
}

TEST_CASE("for the session does not use up what was asked besides, and ends with the session") {
    Stage stage(test::PipelineStage::hurried());
    stage.settle(stage.question());
    REQUIRE(stage.decide(stage.only(), Answer::session));
    CHECK((*stage.settle(stage.question()))->kind == Kind::yes);
    stage.approvals->close_session("s-1");
    CHECK((*stage.settle(stage.question()))->kind == Kind::waiting);
}

TEST_CASE("while a call waits it says so, with the id to approve") {
    auto limits = test::PipelineStage::waiting();
    limits.tick = std::chrono::milliseconds(1);
    Stage stage(limits);
    std::vector<std::string> ticks;
    auto question = stage.question();
    question.tick = [&](std::string const& id) { ticks.push_back(id); };
    auto const call = stage.settle(std::move(question));
    REQUIRE(stage.until([&] { return ticks.size() >= 3; }));
    CHECK(ticks[0] == stage.only());
    CHECK_FALSE(call->has_value());
    CHECK(stage.decide(stage.only(), Answer::yes));
    auto const so_far = ticks.size();
    test::turn(stage.context);
    CHECK(ticks.size() == so_far);
}

TEST_CASE("approvals that are gone while a call waits for one leave nothing behind") {
    auto stage = std::make_unique<Stage>(); // ASan is the judge
    auto const call = stage->settle(stage->of_client());
    stage->approvals.reset();
    stage->asked[0]->taken_back = false;
    stage.reset();
    CHECK_FALSE(call->has_value());
}
