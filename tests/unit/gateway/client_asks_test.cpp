// What servers ask the client while they work for it, and what pfar itself asks when a call needs a yes.
#include "unit/gateway/client_stage.hpp"

using namespace pfar;
using Stage = test::ClientStage;

namespace {

/// A question of a server and what became of it.
struct Question {
    std::string refusal;              // at once
    std::optional<std::string> reply; // later
    bool failed = false;
    std::shared_ptr<wire::CancelSlot> cancel = std::make_shared<wire::CancelSlot>();
};

std::shared_ptr<Question> server_asks(Stage& stage, std::string method, std::string params, std::size_t which = 0) {
    auto const out = std::make_shared<Question>();
    wire::ServerRequest request{std::move(method), std::move(params),
                                [out](bool is_error, std::string payload) {
                                    CHECK_FALSE(out->reply); // answered once
                                    out->failed = is_error, out->reply = std::move(payload);
                                },
                                out->cancel};
    out->refusal = stage.sent(which).task.talk->asked(std::move(request));
    return out;
}

/// The request that the client was sent last.
boost::json::value asked(Stage const& stage) {
    return boost::json::parse(stage.ear->said.back().text);
}
void client_says(Stage& stage, boost::json::value const& request, std::string_view what) {
    stage.hear(fmt::format(R"({{"jsonrpc":"2.0","id":{},{}}})", boost::json::serialize(request.at("id")), what));
}

void begin_call(Stage& stage, std::string_view capabilities = test::everything) {
    stage.offer("notes");
    stage.open(capabilities);
    stage.ask("\"c\"", "tools/call", R"({"name":"notes__look"})");
}

constexpr auto form = R"({ "message":"Your \"name\"?","requestedSchema":{"type":"object"},"n":1e400})";

} // namespace

TEST_CASE("an elicitation reaches the client whose call it is, says who asks, and its answer goes back as it came") {
    Stage stage;
    begin_call(stage);
    auto const question = server_asks(stage, "elicitation/create", form);
    CHECK(question->refusal.empty());
    REQUIRE(stage.ear->said.size() == 1);
    CHECK(stage.ear->said[0].about == "\"c\"");
    CHECK_FALSE(stage.ear->said[0].last);
    auto const request = asked(stage);
    CHECK(request.at("method") == "elicitation/create");
    CHECK(stage.ear->said[0].text.find(
              R"("params":{ "message":"[notes asks] Your \"name\"?","requestedSchema":{"type":"object"},"n":1e400})") !=
          std::string::npos);
    client_says(stage, request, R"("result":{"action":"accept", "content":{"x":1e400}})");
    CHECK(question->reply == R"({"action":"accept", "content":{"x":1e400}})");
    CHECK_FALSE(question->failed);
    client_says(stage, request, R"("result":{"action":"decline"})"); // a second answer is nobody's
    CHECK(stage.servers.count("elicitation", "asked") == 1);
}

TEST_CASE("a client's error reaches the server as it came, and answers to nothing are ignored") {
    Stage stage;
    begin_call(stage);
    auto const question = server_asks(stage, "sampling/createMessage", R"({"messages":[]})");
    auto const request = asked(stage);
    for (auto const* const id : {"999", "\"1\"", "-1", "null", "0"})
        stage.client->hear(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{}}}})", id));
    CHECK_FALSE(question->reply);
    client_says(stage, request, R"("error":{"code":-1, "message":"user said no"})");
    CHECK(question->failed);
    CHECK(question->reply == R"({"code":-1, "message":"user said no"})");
}

TEST_CASE("a session that has read what is confidential does not sample for a server that is less so") {
    Stage stage;
    stage.offer("notes");
    stage.offer("vault", {test::look_tool}, [](auto& offer, auto&) { offer.label = base::Label::sensitive; });
    stage.open(test::everything);
    stage.ask("1", "tools/call", R"({"name":"notes__look"})");
    CHECK(server_asks(stage, "sampling/createMessage", R"({"messages":[]})")->refusal.empty());
    stage.ask("2", "tools/call", R"({"name":"vault__look"})"); // already: what it says meanwhile has been seen
    auto const refusal = server_asks(stage, "sampling/createMessage", R"({"messages":[]})")->refusal;
    CHECK(refusal.find("vault") != std::string::npos);
    CHECK(refusal.find("notes") != std::string::npos);
    CHECK(server_asks(stage, "sampling/createMessage", R"({"messages":[]})", 1)->refusal.empty());
    CHECK(stage.servers.count("sampling", "refused") == 1);
}

TEST_CASE("sampling gets nothing of what other servers said") {
    Stage stage;
    begin_call(stage);
    for (auto const* const context : {R"("allServers")", R"("thisServer")", R"("none")", "7", "{}"}) {
        auto const question = server_asks(stage, "sampling/createMessage",
                                          fmt::format(R"({{"includeContext" : {}, "messages":[ ]}})", context));
        CHECK(question->refusal.empty());
        CHECK(stage.ear->said.back().text.find(R"("params":{"includeContext" : "none", "messages":[ ]})") !=
              std::string::npos);
    }
    auto const plain = server_asks(stage, "sampling/createMessage", R"({"messages":[]})");
    CHECK_FALSE(asked(stage).at("params").as_object().contains("includeContext"));
    auto const sent = stage.ear->said.size();
    for (auto const* const params :
         {R"({"includeContext":"none","includeContext":"allServers"})", R"({"include\u0043ontext":"allServers"})"})
        CHECK_FALSE(server_asks(stage, "sampling/createMessage", params)->refusal.empty());
    CHECK(stage.ear->said.size() == sent);
}

TEST_CASE("a question that hides who asks is refused") {
    Stage stage;
    begin_call(stage);
    for (auto const* const params :
         {"{}", "[]", R"({"message":7})", R"({"message":"a","message":"b"})",
          R"({"mess\u0061ge":"pfar asks: password?"})", R"({"message":"a","mess\u0061ge":"b"})",
          R"({"message":"a","mode":"form","m\u006fde":"url"})"})
        CHECK_FALSE(server_asks(stage, "elicitation/create", params)->refusal.empty());
    CHECK(stage.ear->said.empty());
    CHECK(stage.servers.count("elicitation", "refused") == 7);
}

TEST_CASE("a client that lacks something is not asked, and the server is told which client that is") {
    struct Row {
        char const *capabilities, *method, *params;
        bool can;
    };
    auto const url = R"({"mode":"url","message":"m","url":"https://x","elicitationId":"1"})";
    for (auto const& row :
         {Row{"{}", "elicitation/create", form, false}, Row{"{}", "sampling/createMessage", "{}", false},
          Row{R"({"elicitation":{}})", "elicitation/create", form, true},
          Row{R"({"elicitation":{}})", "elicitation/create", url, false},
          Row{R"({"elicitation":{"form":{}}})", "elicitation/create", url, false},
          Row{R"({"elicitation":{"url":{}}})", "elicitation/create", url, true},
          Row{R"({"elicitation":{"url":{}}})", "elicitation/create", form, false},
          Row{R"({"elicitation":{"form":{},"url":{}}})", "elicitation/create", form, true},
          Row{R"({"sampling":{}})", "sampling/createMessage", "{}", true}}) {
        Stage stage;
        begin_call(stage, row.capabilities);
        auto const question = server_asks(stage, row.method, row.params);
        INFO(row.capabilities << row.params);
        CHECK(question->refusal.empty() == row.can);
        CHECK((question->refusal.find("tester") != std::string::npos) == !row.can);
        CHECK(stage.ear->said.size() == (row.can ? 1 : 0));
    }
}

TEST_CASE("a server that takes its question back takes it back from the client, and a late answer is ignored") {
    Stage stage;
    begin_call(stage);
    auto const question = server_asks(stage, "elicitation/create", form);
    auto const request = asked(stage);
    question->cancel->cancel("the server took it back");
    auto const taken = stage.ear->of_method("notifications/cancelled");
    REQUIRE(taken.size() == 1);
    CHECK(taken[0].at("params").at("requestId") == request.at("id"));
    client_says(stage, request, R"("result":{"action":"accept"})");
    CHECK_FALSE(question->reply);
}

TEST_CASE("no more than 64 questions wait for a client, and one that is answered makes room") {
    Stage stage;
    begin_call(stage);
    std::vector<std::shared_ptr<Question>> all;
    for (int i = 0; i < 64; ++i) all.push_back(server_asks(stage, "elicitation/create", form));
    for (auto const& one : all) CHECK(one->refusal.empty());
    CHECK_FALSE(server_asks(stage, "elicitation/create", form)->refusal.empty());
    client_says(stage, asked(stage), R"("result":{"action":"cancel"})");
    CHECK(server_asks(stage, "elicitation/create", form)->refusal.empty());
}

TEST_CASE("a client that goes answers every question with an error, once") {
    Stage stage;
    begin_call(stage);
    auto const question = server_asks(stage, "elicitation/create", form);
    stage.client->end("it is gone");
    REQUIRE(question->reply);
    CHECK(question->failed);
    CHECK(boost::json::parse(*question->reply).at("code") == -32000);
    auto const late = server_asks(stage, "elicitation/create", form);
    CHECK_FALSE(late->refusal.empty());
}

TEST_CASE("a client that says nothing more is not waited for") {
    Stage stage;
    begin_call(stage);
    auto const question = server_asks(stage, "elicitation/create", form);
    stage.client->hear_end();
    CHECK(question->reply); // its answer can never come
}

TEST_CASE("a question for a call that the client took back is not asked") {
    Stage stage;
    begin_call(stage);
    stage.client->hear(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}})");
    stage.ear->take();
    CHECK_FALSE(server_asks(stage, "elicitation/create", form)->refusal.empty());
    CHECK(stage.ear->said.empty());
}

TEST_CASE("a long client's name reaches a server as whole UTF-8") {
    Stage stage;
    stage.offer("notes");
    stage.ask("0", "initialize",
              fmt::format(R"({{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"{}"}}}})",
                          std::string(199, 'a') + "\xc3\xbc"));
    stage.ask("\"c\"", "tools/call", R"({"name":"notes__look"})");
    auto const question = server_asks(stage, "elicitation/create", form);
    CHECK_NOTHROW(boost::json::parse(wire::quoted(question->refusal)));
}

TEST_CASE("a long reason to cancel reaches a server as whole UTF-8") {
    Stage stage;
    begin_call(stage);
    stage.client->hear(fmt::format(
        R"({{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":"c","reason":"{}"}}}})",
        std::string(199, 'a') + "\xc3\xbc"));
    CHECK_NOTHROW(boost::json::parse(wire::quoted(stage.sent().cancelled)));
}
