// Calls of tools: whose they are, and that what a server gets is what the agent sent, but for the name and the token.
#include "unit/gateway/client_stage.hpp"

using namespace pfar;
using Stage = test::ClientStage;

namespace {

void call(Stage& stage, std::string_view params, std::string_view id = "1") {
    stage.ask(id, "tools/call", params);
}

} // namespace

TEST_CASE("a tool is called by either form of its name, and the server gets its own") {
    Stage stage;
    stage.offer("a"), stage.offer("b", {R"({"name":"read.it","annotations":{"readOnlyHint":true}})"});
    stage.open();
    std::size_t which = 0;
    for (auto const& [called, identity, own] :
         {std::tuple{"a__look", "/mcp/a.toml", "look"}, std::tuple{"a.look", "/mcp/a.toml", "look"},
          std::tuple{"b__read_it", "/mcp/b.toml", "read.it"}, std::tuple{"b.read.it", "/mcp/b.toml", "read.it"},
          std::tuple{"b__read.it", "/mcp/b.toml", "read.it"}}) {
        call(stage, fmt::format(R"({{"name":"{}","arguments":{{}}}})", called), fmt::format("\"{}\"", called));
        REQUIRE(stage.servers.sent.size() == which + 1);
        CHECK(stage.sent(which).task.identity == identity);
        CHECK(stage.sent(which).params == fmt::format(R"({{"name":"{}","arguments":{{}}}})", own));
        ++which;
    }
    for (auto const* const nobody : {"look", "c__look", "a__nothing", "a.", "__look", "", "b__look"}) {
        call(stage, fmt::format(R"({{"name":"{}"}})", nobody), "7");
        CHECK(stage.code_of("7") == -32602);
        stage.ear->take();
    }
    CHECK(stage.servers.sent.size() == which);
}

TEST_CASE("with one server its own names are called as they are, and the prefixed ones too") {
    Stage stage("a");
    stage.offer("a", {R"({"name":"a__x","annotations":{"readOnlyHint":true}})", test::look_tool}), stage.offer("b");
    stage.open();
    std::size_t which = 0;
    for (auto const& [called, own] :
         {std::pair{"look", "look"}, std::pair{"a__look", "look"}, std::pair{"a.look", "look"},
          std::pair{"a__x", "a__x"}, std::pair{"a__a__x", "a__x"}}) {
        call(stage, fmt::format(R"({{"name":"{}"}})", called), std::to_string(which + 1));
        CHECK(stage.sent(which).params == fmt::format(R"({{"name":"{}"}})", own));
        ++which;
    }
    call(stage, R"({"name":"b__look"})", "99");
    CHECK(stage.code_of("99") == -32602);
}

TEST_CASE("what the server gets is byte for byte what was sent, but for the name and the token") {
    Stage stage;
    stage.offer("a");
    stage.open();
    std::string const rest =
        R"("zz":[ 1e400,123456789012345678901234567890 ],"arguments" :	{ "b":1.0,"a":"\u00fc\/ü\ud83d\ude00" , "c":-0e1 } ,"_meta":{"io.x/y":{"pfar":1},"k": 2})";
    call(stage, R"({ "name" : "a__look" ,)" + rest + "}");
    CHECK(stage.sent().params == R"({ "name" : "look" ,)" + rest + "}");
    call(stage, "{" + rest + R"(,"name":"a\u005f\u005flook"})", "2"); // the value may have escapes
    CHECK(stage.sent(1).params == "{" + rest + R"(,"name":"look"})");
    Stage own("a");
    own.offer("a");
    own.open();
    call(own, R"({ "name":"l\u006fok" })");
    CHECK(own.sent().params == R"({ "name":"l\u006fok" })");
}

TEST_CASE("progress is asked for under a token of ours and comes back under the client's own") {
    Stage stage;
    stage.offer("a");
    stage.open();
    int id = 0;
    for (auto const* const token : {R"("t")", "7", "\"\xc3\xbc \\\" \\u0041\"", "-1", "9007199254740993"}) {
        auto const which = stage.servers.sent.size();
        call(stage, fmt::format(R"({{"_meta":{{ "x":1,"progressToken" : {} }},"name":"a.look"}})", token),
             std::to_string(++id));
        auto const ours = 900 + which;
        CHECK(stage.sent(which).task.progress);
        CHECK(stage.sent(which).params ==
              fmt::format(R"({{"_meta":{{ "x":1,"progressToken" : {} }},"name":"look"}})", ours));
        stage.ear->take();
        stage.sent(which).task.talk->progressed(
            fmt::format(R"({{"progress":0.5, "progressToken":{},"message":"half"}})", ours));
        REQUIRE(stage.ear->said.size() == 1);
        CHECK(
            stage.ear->said[0].text ==
            fmt::format(
                R"({{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progress":0.5, "progressToken":{},"message":"half"}}}})",
                token));
        CHECK(stage.ear->said[0].about == std::to_string(id));
        stage.answer("{}", which);
        stage.ear->take();
        stage.sent(which).task.talk->progressed(
            fmt::format(R"({{"progress":1,"progressToken":{}}})", ours)); // too late
        CHECK(stage.ear->said.empty());
    }
    call(stage, R"({"name":"a.look"})", "100");
    CHECK_FALSE(stage.servers.sent.back()->task.progress);
}

TEST_CASE("a token that is neither a string nor a number is none") {
    Stage stage;
    stage.offer("a");
    stage.open();
    call(stage, R"({"name":"a.look","_meta":{"progressToken":null}})");
    CHECK_FALSE(stage.sent().task.progress);
}

TEST_CASE("a call as a task is an ordinary call: pfar has no tasks, and leaves out what it does not know") {
    Stage stage;
    stage.offer("a");
    stage.open();
    for (auto const& [asked, sent] :
         std::map<std::string, std::string>{{R"({"name":"a__look","task":{"ttl":5}})", R"({"name":"look"})"},
                                            {R"({"task":{} , "name":"a__look"})", R"({ "name":"look"})"},
                                            {R"({"name":"a__look" , "task":{"a":[1,{}]}, "arguments":{"task":1}})",
                                             R"({"name":"look" , "arguments":{"task":1}})"}}) {
        call(stage, asked, fmt::format("\"{}\"", sent.size()));
        CHECK(stage.servers.sent.back()->params == sent);
    }
}

TEST_CASE("params that could be understood in two ways are refused") {
    Stage stage;
    stage.offer("a");
    stage.open();
    for (auto const* const params :
         {R"({"name":"a__look","name":"a__put"})", R"({"name":"a__look","n\u0061me":"a__put"})",
          R"({"n\u0061me":"a__look"})", R"({"name":"a__look","arguments":{},"arguments":{"x":1}})",
          R"({"name":"a__look","argum\u0065nts":{}})", R"({"name":"a__look","_meta":{},"_meta":{}})",
          R"({"name":"a__look","_meta":{"progressToken":1,"progressToken":2}})",
          R"({"name":"a__look","_meta":{"progressT\u006fken":1}})", R"({"name":"a__look","_meta":7})", R"({"name":7})",
          R"({"name":"a__look","t\u0061sk":{}})", "{}", "[]", R"({"name":"a__look","arguments":[]})",
          R"({"name":"a__look","arguments":null})", R"({"name":"a__look","arguments":"x"})"}) {
        call(stage, params);
        INFO(params);
        CHECK(stage.code_of("1") == -32602);
        stage.ear->take();
    }
    stage.hear(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})");
    CHECK(stage.code_of("1") == -32602);
    CHECK(stage.servers.sent.empty());
}

TEST_CASE("arguments with a key twice are refused as a result that a model can read") {
    Stage stage;
    stage.offer("a");
    stage.open();
    call(stage, R"({"name":"a__look","arguments":{"path":"/tmp","p\u0061th":"/etc"}})");
    CHECK(stage.answer_to("1").at("result").at("isError") == true);
    CHECK(stage.servers.sent.empty());
}

TEST_CASE("nothing that an agent sends ends a line on its way to a server") {
    for (auto const space : {"\n", "\r"}) {
        Stage stage;
        stage.offer("a");
        stage.open();
        auto const hidden = R"({"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"put"}})";
        call(stage, fmt::format(R"({{"name":"a__look","arguments":{{"x":{0}{1}{0}}}}})", space, hidden));
        if (stage.servers.sent.empty()) continue; // refused is fine too
        CHECK(stage.sent().params.find(space) == std::string::npos);
    }
}

TEST_CASE("the record of a call is one line, whatever the agent's spaces are") {
    Stage stage;
    stage.offer("a");
    stage.open();
    call(stage, "{\"name\":\"a__look\",\"arguments\":{\"x\":\n1}}");
    for (auto const& line : stage.servers.record) CHECK(line.find('\n') == std::string::npos);
}

TEST_CASE("a listed name leads to the tool it is listed for, whatever another tool calls itself") {
    Stage stage;
    stage.offer("a", {test::look_tool, R"({"name":"a__look","annotations":{"readOnlyHint":true}})"});
    stage.open();
    call(stage, R"({"name":"a__look"})");
    CHECK(stage.sent().task.tool == "look");
}

TEST_CASE("what goes along besides arguments counts as sent") {
    Stage stage;
    stage.offer("web", {test::look_tool}, [](pipeline::Offer& offer, auto&) { offer.label = base::Label::open; });
    stage.offer("hr", {test::look_tool}, [](pipeline::Offer& offer, auto&) { offer.label = base::Label::secret; });
    stage.open();
    stage.servers.reply = "{}";
    call(stage, R"({"name":"hr__look"})", "1");
    call(stage, R"({"name":"web__look"})", "2"); // nothing goes with it
    CHECK(stage.servers.sent.size() == 2);
    call(stage, R"({"name":"web__look","_meta":{"note":"the salaries are"}})", "3");
    call(stage, R"({"name":"web__look","arguments":{},"more":"the salaries are"})", "4");
    CHECK(stage.servers.sent.size() == 2);
    CHECK(stage.pipeline.approvals().rows().size() == 2);
}

TEST_CASE("a yes is for all that is sent, not only for the arguments, but for what clients make anew each time") {
    Stage stage("", test::PipelineStage::hurried());
    stage.offer("a");
    stage.open();
    stage.servers.reply = "{}";
    call(stage, R"({"name":"a__put","arguments":{"x":1}})", "1");
    auto const rows = stage.pipeline.approvals().rows();
    REQUIRE(rows.size() == 1);
    REQUIRE(stage.pipeline.approvals().decide(rows[0].id, pipeline::Answer::yes, "terminal"));
    call(stage, R"({"name":"a__put","arguments":{"x":1},"mode":"delete"})", "2");
    CHECK(stage.servers.sent.empty());
    call(stage, R"({"_meta":{"example/toolUseId":"b"},"arguments":{ "x":1},"name":"a__put"})", "3");
    CHECK(stage.servers.sent.size() == 1);
}

TEST_CASE("a server that waits for its first call is woken, and then the tool is found; another is not called") {
    Stage stage;
    auto const quiet = std::make_shared<pipeline::Offer>();
    quiet->name = "a", quiet->identity = "/mcp/a.toml";
    stage.offers = {quiet};
    stage.open();
    stage.on_wake = [&] { stage.offer("a"); };
    call(stage, R"({"name":"a__look"})");
    CHECK(stage.woken == std::vector<std::string>{"/mcp/a.toml"});
    CHECK(stage.servers.sent.size() == 1);
    call(stage, R"({"name":"a__absent"})", "2");
    CHECK(stage.code_of("2") == -32602);
}

TEST_CASE("results and errors come back as the server gave them, and a cancelled call while it is woken runs nothing") {
    Stage stage;
    stage.offer("a");
    stage.open();
    call(stage, R"({"name":"a__look"})");
    stage.answer(R"({"content":[ ],"x":1e400})");
    CHECK(stage.ear->said.back().text ==
          R"({"jsonrpc":"2.0","id":1,"result":{"content":[ ],"x":1e400,"_meta":{"pfar/label":"internal"}}})");
    call(stage, R"({"name":"a__look"})", "2");
    stage.sent(1).refuse(R"({"code":-32001, "message":"\u0041","data":[]})");
    test::turn(stage.context);
    CHECK(stage.ear->said.back().text ==
          R"({"jsonrpc":"2.0","id":2,"error":{"code":-32001, "message":"\u0041","data":[]}})");
    stage.offers.clear(), stage.servers.sent.clear();
    auto const quiet = std::make_shared<pipeline::Offer>();
    quiet->name = "a", quiet->identity = "/mcp/a.toml";
    stage.offers = {quiet};
    stage.on_wake = [&] {
        stage.offer("a");
        stage.client->hear(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}})");
    };
    call(stage, R"({"name":"a__look"})", "3");
    CHECK(stage.servers.sent.empty());
    CHECK(stage.client->in_flight() == 0);
}
