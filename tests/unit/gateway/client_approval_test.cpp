// A call that needs a yes, asked through the client itself.
#include "unit/gateway/client_stage.hpp"

using namespace pfar;
using Stage = test::ClientStage;

namespace {

constexpr auto forms = R"({"elicitation":{}})";

void put(Stage& stage, std::string_view id = "1", std::string_view arguments = R"({"path":"/x"})",
         std::string_view meta = "") {
    stage.ask(id, "tools/call", fmt::format(R"({{"name":"notes__put","arguments":{}{}}})", arguments, meta));
}
boost::json::value question(Stage const& stage) {
    auto const all = stage.ear->of_method("elicitation/create");
    REQUIRE_FALSE(all.empty());
    return all.back();
}
void answer(Stage& stage, std::string_view what) {
    stage.hear(
        fmt::format(R"({{"jsonrpc":"2.0","id":{},{}}})", boost::json::serialize(question(stage).at("id")), what));
}

} // namespace

TEST_CASE("the client is asked who wants to run what, with the arguments, and why") {
    Stage stage;
    stage.offer("notes");
    stage.open(forms);
    put(stage);
    auto const asked = question(stage);
    auto const words = std::string(asked.at("params").at("message").as_string());
    for (auto const* const part : {"pfar asks", "notes", "put", R"({"path":"/x"})", "it writes"}) {
        INFO(part);
        CHECK(words.find(part) != std::string::npos);
    }
    auto const& schema = asked.at("params").at("requestedSchema");
    CHECK(schema.at("type") == "object");
    CHECK(schema.at("properties").at("for").at("enum") == boost::json::array{"once", "session"});
    CHECK(stage.ear->said.back().about == "1");
    CHECK(stage.servers.sent.empty());
}

TEST_CASE("only a clear yes is one") {
    struct Row {
        char const* says;
        std::size_t runs;
    };
    for (auto const& row :
         {Row{R"("result":{"action":"accept"})", 1}, Row{R"("result":{"action":"accept","content":{}})", 1},
          Row{R"("result":{"action":"accept","content":{"for":"once"}})", 1},
          Row{R"("result":{"action":"accept","content":{"for":"session"}})", 1},
          Row{R"("result":{"action":"accept","content":{"for":"ever"}})", 0},
          Row{R"("result":{"action":"accept","content":{"for":true}})", 0}, Row{R"("result":{"action":"decline"})", 0},
          Row{R"("result":{"action":"cancel"})", 0}, Row{R"("result":{})", 0}, Row{R"("result":null)", 0},
          Row{R"("result":"accept")", 0}, Row{R"("result":{"action":"Accept"})", 0},
          Row{R"("result":{"action":["accept"]})", 0}, Row{R"("error":{"code":-32601,"message":"accept"})", 0}}) {
        Stage stage;
        stage.offer("notes");
        stage.open(forms);
        put(stage);
        answer(stage, row.says);
        INFO(row.says);
        CHECK(stage.servers.sent.size() == row.runs);
        CHECK(stage.answer_to("1").is_null() == (row.runs == 1));
        put(stage, "2");
        bool const for_session = std::string_view(row.says).find("session") != std::string_view::npos;
        CHECK(stage.servers.sent.size() == row.runs + (for_session ? 1 : 0));
    }
}

TEST_CASE("a client without forms is not asked; the owner is, and may answer first where both are") {
    Stage stage;
    stage.offer("notes");
    stage.open(R"({"elicitation":{"url":{}}})");
    put(stage);
    CHECK(stage.ear->said.empty());
    CHECK(stage.pipeline.approvals().rows().size() == 1);
    Stage both;
    both.offer("notes");
    both.open(forms);
    put(both);
    auto const id = both.pipeline.approvals().rows().at(0).id;
    REQUIRE(both.pipeline.approvals().decide(id, pipeline::Answer::yes, "terminal"));
    test::turn(both.context);
    CHECK(both.servers.sent.size() == 1);
    auto const taken = both.ear->of_method("notifications/cancelled");
    REQUIRE(taken.size() == 1);
    CHECK(taken[0].at("params").at("requestId") == question(both).at("id"));
    answer(both, R"("result":{"action":"decline"})"); // too late
    CHECK(both.servers.sent.size() == 1);
}

TEST_CASE("a call that is cancelled takes its question back, and nothing runs") {
    Stage stage;
    stage.offer("notes");
    stage.open(forms);
    put(stage);
    stage.tell("notifications/cancelled", R"({"requestId":1})");
    CHECK(stage.ear->of_method("notifications/cancelled").size() == 1);
    CHECK_FALSE(stage.pipeline.approvals().any());
    answer(stage, R"("result":{"action":"accept"})");
    CHECK(stage.servers.sent.empty());
    CHECK(stage.answer_to("1").is_null());
}

TEST_CASE("who waits is told so under its token, and with the id to approve") {
    Stage stage;
    stage.offer("notes");
    stage.open();
    put(stage, "1", "{}", R"(,"_meta":{"progressToken":"t"})");
    auto const progress = stage.ear->of_method("notifications/progress");
    REQUIRE(progress.size() == 1);
    CHECK(progress[0].at("params").at("progressToken") == "t");
    auto const id = stage.pipeline.approvals().rows().at(0).id;
    CHECK(std::string(progress[0].at("params").at("message").as_string()).find(id) != std::string::npos);
    CHECK(progress[0].at("params").at("progress").as_double() < 0.001);
}

TEST_CASE("an answer after the wait counts when the same call is repeated, once") {
    Stage stage("", test::PipelineStage::hurried());
    stage.offer("notes");
    stage.open(forms);
    put(stage);
    CHECK(stage.answer_to("1").at("result").at("isError") == true);
    answer(stage, R"("result":{"action":"accept"})");
    CHECK(stage.servers.sent.empty());
    put(stage, "2");
    CHECK(stage.servers.sent.size() == 1);
    put(stage, "3");
    CHECK(stage.servers.sent.size() == 1);
    CHECK(stage.ear->of_method("elicitation/create").size() == 2);
}

TEST_CASE("two sessions that want the same do not get each other's answers") {
    Stage stage;
    stage.offer("notes");
    stage.open(forms);
    auto const ear = std::make_shared<test::Ear>();
    auto const other = stage.join("s-2", ear);
    other->hear(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}}}})");
    put(stage);
    other->hear(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes__put","arguments":{"path":"/x"}}})");
    test::turn(stage.context);
    REQUIRE(ear->of_method("elicitation/create").size() == 1);
    answer(stage, R"("result":{"action":"accept"})");
    REQUIRE(stage.servers.sent.size() == 1);
    CHECK(stage.sent().task.session == "s-1");
    CHECK(ear->answer_to("1").is_null());
    CHECK(stage.pipeline.approvals().rows().at(0).session == "s-2");
    other->end("it is gone");
    test::turn(stage.context);
    CHECK_FALSE(stage.pipeline.approvals().any());
    CHECK(stage.servers.sent.size() == 1);
}

TEST_CASE("long arguments are shown as far as they go, with their size, in whole characters") {
    Stage stage;
    stage.offer("notes");
    stage.open(forms);
    std::string text;
    while (text.size() < 5000) text += "\xf0\x9f\x98\x80x";
    auto const arguments = fmt::format(R"({{"t":"{}"}})", text);
    put(stage, "1", arguments);
    auto const words = std::string(question(stage).at("params").at("message").as_string());
    CHECK(words.size() < 3000);
    CHECK(words.find(std::to_string(arguments.size()) + " bytes") != std::string::npos);
}

TEST_CASE("what is shown cannot be turned around by characters that reorder a line") {
    Stage stage;
    stage.offer("notes");
    stage.open(forms);
    put(stage, "1",
        "{\"path\":\"\xe2\x80\xae"
        "cte/\"}");
    auto const words = std::string(question(stage).at("params").at("message").as_string());
    CHECK(words.find("\xe2\x80\xae") == std::string::npos);
}
