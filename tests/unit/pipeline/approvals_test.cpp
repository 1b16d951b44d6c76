// The owner's yes: to whom it belongs, how often it counts, and what makes it worthless.
#include "unit/pipeline/approvals_stage.hpp"

using namespace pfar;
using pipeline::Answer;
using Stage = test::ApprovalsStage;
using Kind = Stage::Kind;
using Told = std::vector<std::string>;

TEST_CASE("a yes runs one call, and the next one like it asks anew") {
    Stage stage;
    auto const first = stage.settle(stage.question());
    CHECK_FALSE(first->has_value());
    CHECK(stage.decide(stage.only(), Answer::yes));
    REQUIRE(first->has_value());
    CHECK((*first)->kind == Kind::yes);
    CHECK_FALSE(stage.approvals->any());
    auto const second = stage.settle(stage.question());
    CHECK_FALSE(second->has_value());
    CHECK(stage.approvals->rows().size() == 1);
    CHECK(stage.told == Told{"asked", "approved by terminal", "asked"});
}

TEST_CASE("a no refuses, and the same call asks anew") {
    Stage stage;
    auto const first = stage.settle(stage.question());
    CHECK(stage.decide(stage.only(), Answer::no));
    REQUIRE(first->has_value());
    CHECK((*first)->kind == Kind::no);
    CHECK_FALSE(stage.approvals->any());
    CHECK_FALSE(stage.settle(stage.question())->has_value());
    CHECK(stage.told == Told{"asked", "denied by terminal", "asked"});
}

TEST_CASE("the owner is shown what is asked: whose, which server, tool, arguments and why") {
    Stage stage;
    auto const waiting = stage.settle(stage.question(R"({"path":"/x"})"));
    auto const rows = stage.approvals->rows();
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].session == "s-1");
    CHECK(rows[0].server == "fs");
    CHECK(rows[0].tool == "write");
    CHECK(rows[0].arguments == R"({"path":"/x"})");
    CHECK(rows[0].why == "it writes");
    CHECK(rows[0].expires_in > std::chrono::minutes(59));
    CHECK(rows[0].id.size() >= 8);
}

TEST_CASE("without an answer the call comes back, and a yes that comes later counts for its repetition, once") {
    Stage stage(test::PipelineStage::hurried());
    auto const first = stage.settle(stage.question());
    REQUIRE(first->has_value());
    CHECK((*first)->kind == Kind::waiting);
    auto const id = stage.only();
    CHECK((*first)->id == id);
    auto const impatient = stage.settle(stage.question());
    CHECK((*impatient)->kind == Kind::waiting);
    CHECK((*impatient)->id == id); // the same one
    CHECK(stage.decide(id, Answer::yes));
    CHECK(stage.approvals->rows().empty());
    CHECK(stage.approvals->any()); // it waits for the repetition
    auto const repeated = stage.settle(stage.question());
    CHECK((*repeated)->kind == Kind::yes);
    auto const again = stage.settle(stage.question());
    CHECK((*again)->kind == Kind::waiting);
    CHECK((*again)->id != id);
}

TEST_CASE("whoever repeats a call that nobody could be asked about is asked himself") {
    Stage stage(test::PipelineStage::hurried());
    stage.settle(stage.question());
    auto const id = stage.only();
    stage.settle(stage.of_client());
    REQUIRE(stage.asked.size() == 1);
    CHECK(stage.asked[0]->row.id == id);
    stage.settle(stage.of_client());
    CHECK(stage.asked.size() == 1); // he has the question already
}

TEST_CASE("a yes for the session covers what the tool itself brings") {
    Stage stage(test::PipelineStage::hurried());
    stage.settle(stage.question());
    REQUIRE(stage.decide(stage.only(), Answer::session));
    CHECK((*stage.settle(stage.question()))->kind == Kind::yes);
    stage.standing->label = stage.offer->label, stage.standing->taint = stage.offer->taint;
    CHECK((*stage.settle(stage.question(R"({"a":2})")))->kind == Kind::yes);
    stage.standing->label = pfar::base::Label::sensitive;
    CHECK((*stage.settle(stage.question(R"({"a":3})")))->kind == Kind::waiting);
}

TEST_CASE("a yes is for this session, server, tool, arguments, pin and policy, and no other") {
    Stage stage(test::PipelineStage::hurried());
    stage.settle(stage.question());
    REQUIRE(stage.decide(stage.only(), Answer::yes));
    auto const other = [&](auto const& change) {
        auto question = stage.question();
        change(question);
        return (*stage.settle(std::move(question)))->kind == Kind::waiting;
    };
    auto const changed_offer = [&](auto const& change) {
        auto copy = std::make_shared<pipeline::Offer>(*stage.offer);
        change(*copy);
        return copy;
    };
    CHECK(other([](auto& q) { q.standing = test::PipelineStage::session("s-2"); }));
    CHECK(other([&](auto& q) { q.offer = changed_offer([](auto& offer) { offer.identity = "/other/fs.toml"; }); }));
    CHECK(other([&](auto& q) { q.offer = changed_offer([](auto& offer) { offer.policy = "another"; }); }));
    CHECK(other([](auto& q) { q.subject = "writ"; }));
    CHECK(other([](auto& q) { q.pin = "another"; }));
    CHECK(other([](auto& q) { q.sent = R"({"a":2})"; }));
    CHECK(other([](auto& q) { q.sent = ""; }));
    auto again = stage.question(); // the same in other words; it was there all the time
    again.sent = R"({ "_meta":{"id":7}, "\u0061" :1} )";
    CHECK((*stage.settle(std::move(again)))->kind == Kind::yes);
}

TEST_CASE("two sessions with the same call and crossed answers do not mix") {
    Stage stage;
    auto of_second = stage.question();
    of_second.standing = test::PipelineStage::session("s-2");
    of_second.cancel = std::make_shared<wire::CancelSlot>();
    auto const first = stage.settle(stage.question()), second = stage.settle(of_second);
    auto const rows = stage.approvals->rows();
    REQUIRE(rows.size() == 2);
    auto const id_of = [&](std::string_view session) { return rows[0].session == session ? rows[0].id : rows[1].id; };
    CHECK(stage.decide(id_of("s-2"), Answer::no));
    CHECK_FALSE(first->has_value());
    REQUIRE(second->has_value());
    CHECK((*second)->kind == Kind::no);
    CHECK(stage.decide(id_of("s-1"), Answer::yes));
    CHECK((*first)->kind == Kind::yes);
}

TEST_CASE("two identical calls at once need two yes") {
    Stage stage;
    auto const first = stage.settle(stage.question());
    auto again = stage.question();
    again.cancel = std::make_shared<wire::CancelSlot>();
    auto const second = stage.settle(again);
    auto const rows = stage.approvals->rows();
    REQUIRE(rows.size() == 2);
    CHECK(stage.decide(rows[1].id, Answer::yes));
    CHECK(first->has_value() != second->has_value());
    CHECK(stage.decide(rows[0].id, Answer::yes));
    CHECK((*first)->kind == Kind::yes);
    CHECK((*second)->kind == Kind::yes);
    CHECK_FALSE(stage.approvals->any());
}

TEST_CASE("unknown, used, refused and expired ids have one and the same error") {
    Stage stage(test::PipelineStage::hurried());
    std::set<std::string> errors;
    auto const fails = [&](std::string const& id) {
        auto const out = stage.approvals->decide(id, Answer::yes, "terminal");
        REQUIRE_FALSE(out);
        CHECK(out.error().code == Errc::not_found);
        errors.insert(out.error().what);
    };
    fails(""), fails("nosuchid"), fails("../../x");
    stage.settle(stage.question("1"));
    auto const approved = stage.only();
    CHECK(stage.decide(approved, Answer::yes));
    fails(approved); // and it waits to be used
    CHECK((*stage.settle(stage.question("1")))->kind == Kind::yes);
    fails(approved);
    stage.settle(stage.question("2"));
    auto const denied = stage.only();
    CHECK(stage.decide(denied, Answer::no));
    fails(denied);
    stage.settle(stage.question("3"));
    auto const withdrawn = stage.only();
    stage.approvals->close_session("s-1");
    fails(withdrawn);
    CHECK(errors.size() == 1);
}

TEST_CASE("what has expired is no longer shown, approved or found, and that is told") {
    auto limits = test::PipelineStage::hurried();
    limits.open = std::chrono::milliseconds(0);
    Stage stage(limits);
    std::string id;
    auto question = stage.of_client();
    auto const first = test::begin(stage.context, stage.approvals->settle(question));
    REQUIRE(stage.until([&] { return stage.told.size() == 2; }));
    CHECK(stage.told == Told{"asked", "expired"});
    CHECK(stage.asked.at(0)->taken_back);
    CHECK_FALSE(stage.approvals->any());
    stage.asked.at(0)->answer(Answer::yes); // too late
    CHECK((**first).kind != Kind::yes);
    CHECK_FALSE(stage.decide(stage.asked.at(0)->row.id, Answer::yes));
}

TEST_CASE(
    "a call that waits when its approval expires is refused, and a yes that was not used in time is worth nothing") {
    auto limits = test::PipelineStage::waiting();
    limits.open = std::chrono::milliseconds(20);
    Stage stage(limits);
    auto const first = stage.settle(stage.question());
    REQUIRE(stage.until([&] { return first->has_value(); }));
    CHECK((*first)->kind == Kind::withdrawn);
    limits.wait = std::chrono::milliseconds(0);
    Stage later(limits);
    later.settle(later.question());
    for (auto const& row : later.approvals->rows()) later.decide(row.id, Answer::yes);
    REQUIRE(later.until([&] { return !later.approvals->any(); }));
    CHECK((*later.settle(later.question()))->kind == Kind::waiting);
}

TEST_CASE("no more than so many are open, of a session and of all") {
    auto limits = test::PipelineStage::hurried();
    limits.of_session = 3, limits.all = 5;
    Stage stage(limits);
    auto const open = [&](std::string const& session, std::string const& arguments) {
        auto question = stage.question(arguments);
        static std::map<std::string, pipeline::StandingPtr> standings;
        if (session != "s-1") {
            auto& one = standings[session];
            if (!one) one = test::PipelineStage::session(session);
            question.standing = one;
        }
        return (*stage.settle(std::move(question)))->kind;
    };
    for (auto const* const arguments : {"1", "2", "3"}) CHECK(open("s-1", arguments) == Kind::waiting);
    CHECK(open("s-1", "4") == Kind::too_many);
    CHECK(open("s-1", "2") == Kind::waiting); // one that is open already is no further one
    CHECK(open("s-2", "1") == Kind::waiting);
    CHECK(open("s-2", "2") == Kind::waiting);
    CHECK(open("s-2", "3") == Kind::too_many); // five in all
    CHECK(stage.approvals->rows().size() == 5);
    stage.approvals->close_session("s-1");
    CHECK(open("s-2", "3") == Kind::waiting);
}

TEST_CASE("whoever shows them hears of every change") {
    Stage stage;
    int changes = 0;
    stage.approvals->changed = [&] { ++changes; };
    auto const first = stage.settle(stage.question());
    CHECK(changes == 1);
    CHECK(stage.decide(stage.only(), Answer::no));
    CHECK(changes == 2);
    auto const second = stage.settle(stage.question());
    stage.approvals->close_session("s-1");
    CHECK(changes == 4);
}
