// One call through everything, in its order: what is refused is not forwarded, and what is forwarded was recorded before.
#include "unit/pipeline/pipeline_stage.hpp"

using namespace pfar;
using pipeline::Answer;
using Kind = pipeline::Outcome::Kind;
using Stage = test::PipelineStage;
using Lines = std::vector<std::string>;

namespace {

constexpr auto reads = R"({"name":"look","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}})";
constexpr auto writes = R"({"name":"put","inputSchema":{"type":"object","required":["a"]}})";
constexpr auto counts =
    R"({"name":"count","annotations":{"readOnlyHint":true},"outputSchema":{"type":"object","required":["n"]}})";

pipeline::OfferPtr board(Stage& stage, std::function<void(pipeline::Offer&, pipeline::Lists&)> const& change = {}) {
    return stage.offer(test::make_offer("board", {reads, writes, counts}, change));
}

bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// A refusal that a model can read.
bool is_refusal(test::Later<pipeline::Outcome> const& outcome) {
    return outcome->has_value() && (*outcome)->kind == Kind::refused && has((*outcome)->payload, R"("isError":true)") &&
           has((*outcome)->payload, "pfar did not run ");
}

} // namespace

TEST_CASE("a read is recorded, forwarded, labelled and recorded again, in this order") {
    Stage stage;
    auto const outcome = stage.call(stage.call_of(board(stage), "look"));
    CHECK(stage.servers.order == Lines{"record call sent", "forward look"});
    auto const& sent = *stage.servers.sent.at(0);
    CHECK(sent.task.identity == "/mcp/board.toml");
    CHECK(sent.task.session == "s-1");
    CHECK(sent.params == R"({"a":1})");
    stage.servers.sent[0]->answer(R"({"content":[]})");
    test::turn(stage.context);
    REQUIRE(outcome->has_value());
    CHECK((*outcome)->kind == Kind::ok);
    CHECK((*outcome)->payload == R"({"content":[],"_meta":{"pfar/label":"internal"}})");
    CHECK(stage.servers.order == Lines{"record call sent", "forward look", "record call ok"});
    auto const first = boost::json::parse(stage.servers.record.at(0));
    CHECK(first.at("semantics") == "read");
    CHECK(first.at("arguments") == boost::json::parse(R"({"a":1})"));
    CHECK(first.at("call") == boost::json::parse(stage.servers.record.at(1)).at("call"));
}

TEST_CASE("arguments that do not fit never reach the server, and the record has them") {
    Stage stage;
    for (auto const* const arguments : {"{}", R"({"a":1,"a":2})", R"({"a":1,"\u0061":2})", "[]"}) {
        auto const outcome = stage.call(stage.call_of(board(stage), "put", arguments));
        INFO(arguments);
        CHECK(is_refusal(outcome));
    }
    CHECK(stage.servers.sent.empty());
    CHECK(stage.servers.count("call", "invalid") == 4);
    CHECK(stage.pipeline.counts().refused == 4);
    CHECK(has(stage.servers.record.at(0), R"("arguments":{})"));
}

TEST_CASE("a write waits for the owner; no refuses it, yes forwards it once") {
    Stage stage;
    auto const offer = board(stage);
    auto const first = stage.call(stage.call_of(offer, "put"));
    CHECK(stage.servers.sent.empty());
    stage.decide(Answer::no);
    CHECK(is_refusal(first));
    CHECK(has((*first)->payload, "said no"));
    auto const second = stage.call(stage.call_of(offer, "put"));
    stage.decide(Answer::yes);
    REQUIRE(stage.servers.sent.size() == 1);
    stage.servers.sent[0]->answer(R"({"content":[]})");
    test::turn(stage.context);
    CHECK((*second)->kind == Kind::ok);
    CHECK(stage.servers.order == Lines{"record approval asked", "record approval denied", "record call refused",
                                       "record approval asked", "record approval approved", "record call sent",
                                       "forward put", "record call ok"});
}

TEST_CASE("without an answer the model is told what to do, and nothing runs until the same call comes again") {
    Stage stage(Stage::hurried());
    auto const offer = board(stage);
    auto const first = stage.call(stage.call_of(offer, "put"));
    REQUIRE(first->has_value());
    CHECK((*first)->kind == Kind::refused);
    auto const id = stage.rows().at(0).id;
    CHECK(has((*first)->payload, "pfar approve " + id));
    CHECK(has((*first)->payload, R"("isError":true)"));
    CHECK(stage.servers.count("call", "waiting") == 1);
    stage.decide(Answer::yes);
    CHECK(stage.servers.sent.empty());
    stage.servers.reply = "{}";
    CHECK((*stage.call(stage.call_of(offer, "put", R"({"a":2})")))->kind == Kind::refused);
    CHECK((*stage.call(stage.call_of(offer, "put")))->kind == Kind::ok);
    CHECK((*stage.call(stage.call_of(offer, "put")))->kind == Kind::refused);
    CHECK(stage.servers.sent.size() == 1);
}

TEST_CASE("a tool or a rule that changed while a person thought is not run") {
    for (int change = 0; change < 4; ++change) {
        Stage stage;
        auto const outcome = stage.call(stage.call_of(board(stage), "put"));
        auto const other = R"({"name":"put","description":"now it deletes","inputSchema":{"required":["a"]}})";
        if (change == 0) stage.offer(test::make_offer("board", {other}));
        if (change == 1) stage.offer(test::make_offer("board", {reads}));
        if (change == 2) stage.servers.now.clear();
        if (change == 3) board(stage, [](pipeline::Offer& offer, auto&) { offer.policy = "stricter"; });
        stage.decide(Answer::yes);
        INFO(change);
        CHECK(is_refusal(outcome));
        CHECK(stage.servers.sent.empty());
        CHECK(has((*outcome)->payload, "changed meanwhile"));
    }
}

TEST_CASE("a new listing in which the tool and the rules are the same does not matter") {
    Stage stage;
    auto const outcome = stage.call(stage.call_of(board(stage), "put"));
    stage.offer(test::make_offer("board", {writes, R"({"name":"more"})"}));
    stage.decide(Answer::yes);
    CHECK(stage.servers.sent.size() == 1);
}

TEST_CASE("a session that ends, or a call that is cancelled, while the owner thinks is not run") {
    Stage stage;
    auto const offer = board(stage);
    auto const ended = stage.call(stage.call_of(offer, "put"));
    stage.pipeline.approvals().close_session("s-1");
    test::turn(stage.context);
    CHECK(is_refusal(ended));
    auto const closed = stage.call(stage.call_of(offer, "put"));
    stage.standing->open = false;
    stage.decide(Answer::yes);
    CHECK(is_refusal(closed));
    CHECK(has((*closed)->payload, "session has ended"));
    stage.standing->open = true;
    auto const call = stage.call_of(offer, "put");
    auto const cancelled = stage.call(call);
    call->cancel->cancel("enough");
    test::turn(stage.context);
    CHECK(is_refusal(cancelled));
    CHECK(stage.servers.sent.empty());
    CHECK(stage.rows().empty());
}

TEST_CASE("a record that cannot be written stops what writes, and lets what reads go on") {
    Stage stage;
    auto const offer = board(stage, [](pipeline::Offer& one, auto&) { one.approve = base::Approve::never; });
    stage.servers.record_fails = fail(Errc::io, "no space left");
    stage.servers.reply = "{}";
    auto const write = stage.call(stage.call_of(offer, "put"));
    CHECK(is_refusal(write));
    CHECK(has((*write)->payload, "no space left"));
    CHECK(stage.servers.sent.empty());
    CHECK((*stage.call(stage.call_of(offer, "look")))->kind == Kind::ok);
    CHECK(stage.pipeline.labels().of(*offer) == base::Label::internal);
}

TEST_CASE("what changes while the record is being written is seen before the call is sent") {
    Stage stage;
    auto const offer = board(stage, [](pipeline::Offer& one, auto&) { one.approve = base::Approve::never; });
    stage.servers.while_recording = [&] { stage.servers.now.clear(); };
    auto const outcome = stage.call(stage.call_of(offer, "put"));
    CHECK(stage.servers.sent.empty());
}

TEST_CASE("the owner's word about a tool beats the script's, and that beats the hint") {
    using base::Semantics;
    struct Row {
        std::optional<Semantics> owner, script;
        bool hint, pinned, asks;
    };
    for (auto const& row :
         {Row{{}, {}, true, true, false}, Row{{}, {}, false, true, true}, Row{{}, Semantics::read, false, true, false},
          Row{{}, Semantics::write, true, true, true}, Row{Semantics::write, Semantics::read, true, true, true},
          Row{Semantics::read, Semantics::write, false, true, false}, Row{{}, {}, true, false, true},
          Row{{}, Semantics::read, true, false, true}, Row{Semantics::read, Semantics::read, true, false, true}}) {
        Stage stage;
        auto offer = test::make_offer("board", {row.hint ? reads : writes});
        auto const name = offer->tools[0].name;
        offer->tools[0].pinned = row.pinned;
        offer->rules[name].semantics = row.owner;
        stage.servers.script = [&](auto const&) { return row.script; };
        stage.offer(offer);
        auto const outcome = stage.call(stage.call_of(offer, name));
        CHECK(stage.rows().size() == (row.asks ? 1 : 0));
        CHECK(stage.servers.sent.size() == (row.asks ? 0 : 1));
    }
}

TEST_CASE("a tool nobody agreed to is a write to the record and to labels, whatever it claims") {
    Stage stage;
    auto offer = test::make_offer("board", {reads});
    offer->tools[0].pinned = false;
    stage.offer(offer);
    auto const outcome = stage.call(stage.call_of(offer, "look"));
    stage.decide(Answer::yes);
    REQUIRE(stage.servers.sent.size() == 1);
    CHECK(has(stage.servers.record.back(), R"("semantics":"write")"));
}
