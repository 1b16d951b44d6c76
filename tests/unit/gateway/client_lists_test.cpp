// Lists, resources, prompts, completion, subscriptions and log messages, each between the right client and the right server.
#include "unit/gateway/client_stage.hpp"

using namespace pfar;
using Stage = test::ClientStage;
using Lists = pipeline::Lists;

namespace {

void with_files(Stage& stage, std::string const& name, std::vector<std::string> const& uris) {
    stage.offer(name, {}, [&](pipeline::Offer&, Lists& lists) {
        for (auto const& uri : uris) lists.resources.push_back(fmt::format(R"({{"uri":"{}","name":"f"}})", uri));
        lists.templates = {fmt::format(R"({{"uriTemplate":"{}:///{{path}}","name":"t"}})", name)};
        lists.prompts = {R"({"name":"sum up"})"};
    });
}

void message(Stage& stage, std::string_view level) {
    stage.client->notified("/mcp/a.toml", "", "notifications/message",
                           fmt::format(R"({{"level":"{}","data":1}})", level));
}

} // namespace

TEST_CASE("tools are listed page by page, and a foreign cursor is refused") {
    Stage stage;
    std::vector<std::string> tools;
    for (int i = 0; i < 1500; ++i) tools.push_back(fmt::format(R"({{"name":"t{}"}})", i));
    stage.offer("a", std::move(tools));
    stage.open();
    stage.ask("1", "tools/list");
    auto const first = stage.answer_to("1").at("result");
    CHECK(first.at("tools").as_array().size() == 1000);
    stage.ask("2", "tools/list", fmt::format(R"({{"cursor":{}}})", boost::json::serialize(first.at("nextCursor"))));
    auto const second = stage.answer_to("2").at("result");
    CHECK(second.at("tools").as_array().size() == 500);
    CHECK(second.at("tools").at(0).at("name") == "a__t1000");
    CHECK_FALSE(second.as_object().contains("nextCursor"));
    for (auto const* const cursor : {R"("eyJvZmZzZXQiOjV9")", "7", R"("")"}) {
        stage.ask("3", "tools/list", fmt::format(R"({{"cursor":{}}})", cursor));
        CHECK(stage.code_of("3") == -32602);
        stage.ear->take();
    }
}

TEST_CASE("a list waits for servers that have not said yet what they offer, and not for others") {
    Stage stage;
    stage.offer("a");
    stage.open();
    bool settled = false;
    stage.on_settle = [&] { settled = true, stage.offer("b"); };
    stage.ask("1", "tools/list");
    CHECK_FALSE(settled);
    auto const quiet = std::make_shared<pipeline::Offer>();
    quiet->name = "b", quiet->identity = "/mcp/b.toml";
    stage.offers.push_back(quiet);
    stage.ask("2", "tools/list");
    CHECK(settled);
    CHECK(stage.answer_to("2").at("result").at("tools").as_array().size() == 4);
}

TEST_CASE("a resource is read where it is, under the URI that its server knows") {
    Stage stage;
    with_files(stage, "a", {"file:///x", "file:///both"}), with_files(stage, "b", {"file:///both"});
    stage.open();
    std::size_t which = 0;
    for (auto const& [uri, identity, own] : {std::tuple{"file:///x", "/mcp/a.toml", "file:///x"},
                                             std::tuple{"b:///made/up", "/mcp/b.toml", "b:///made/up"},
                                             std::tuple{"pfar://b/file:///both", "/mcp/b.toml", "file:///both"}}) {
        stage.ask(std::to_string(which + 1), "resources/read", fmt::format(R"({{"z":1, "uri" : "{}"}})", uri));
        CHECK(stage.sent(which).task.identity == identity);
        CHECK(stage.sent(which).task.method == "resources/read");
        CHECK(stage.sent(which).params == fmt::format(R"({{"z":1, "uri" : "{}"}})", own));
        ++which;
    }
    stage.ask("10", "resources/read", R"({"uri":"file:///both"})");
    CHECK(stage.code_of("10") == -32602);
    stage.ask("11", "resources/read", R"({"uri":"file:///nobody"})");
    CHECK(stage.code_of("11") == -32002);
    stage.ask("12", "resources/read", R"({"uri":"file:///x","uri":"file:///both"})");
    CHECK(stage.code_of("12") == -32602);
    stage.ask("13", "resources/read", "{}");
    CHECK(stage.code_of("13") == -32602);
    CHECK(stage.servers.sent.size() == which);
}

TEST_CASE("a listed resource is read without a word, a made-up URI says something and asks") {
    Stage stage;
    with_files(stage, "a", {"file:///x"});
    stage.offer("hr", {test::look_tool}, [](pipeline::Offer& offer, auto&) { offer.label = base::Label::secret; });
    stage.open();
    stage.servers.reply = "{}";
    stage.ask("1", "tools/call", R"({"name":"hr__look"})");
    stage.ask("2", "resources/read", R"({"uri":"file:///x"})");
    CHECK(stage.servers.sent.size() == 2);
    stage.ask("3", "resources/read", R"({"uri":"a:///salaries-are-5000"})");
    CHECK(stage.servers.sent.size() == 2);
    CHECK(stage.pipeline.approvals().rows().size() == 1);
}

TEST_CASE("a prompt is got under its own name, with its arguments as they are") {
    Stage stage;
    with_files(stage, "a", {});
    stage.open();
    stage.ask("1", "prompts/get", R"({"arguments":{"n": 1e400},"name":"a__sum_up"})");
    CHECK(stage.sent().params == R"({"arguments":{"n": 1e400},"name":"sum up"})");
    CHECK(stage.sent().task.method == "prompts/get");
    for (auto const* const params :
         {R"({"name":"a__x"})", R"({"name":"sum up"})", "{}", R"({"name":"a.sum up","name":"x"})"}) {
        stage.ask("2", "prompts/get", params);
        CHECK(stage.code_of("2") == -32602);
        stage.ear->take();
    }
}

TEST_CASE("a completion goes to the server of its prompt or its template, with the name it has there") {
    Stage stage;
    with_files(stage, "a", {}), with_files(stage, "b", {});
    stage.open();
    auto const rest = R"("argument":{"name":"x","value":"v"},"context":{"arguments":{ "y":1 }})";
    stage.ask("1", "completion/complete",
              fmt::format(R"({{"ref":{{"type":"ref/prompt", "name":"b__sum_up","t":1}},{}}})", rest));
    CHECK(stage.sent().task.identity == "/mcp/b.toml");
    CHECK(stage.sent().params == fmt::format(R"({{"ref":{{"type":"ref/prompt", "name":"sum up","t":1}},{}}})", rest));
    stage.ask("2", "completion/complete",
              fmt::format(R"({{"ref":{{"type":"ref/resource","uri":"pfar://a/a:///{{path}}"}},{}}})", rest));
    CHECK(stage.sent(1).params == fmt::format(R"({{"ref":{{"type":"ref/resource","uri":"a:///{{path}}"}},{}}})", rest));
    stage.ask("3", "completion/complete",
              fmt::format(R"({{"ref":{{"type":"ref/resource","uri":"a:///{{path}}"}},{}}})", rest));
    CHECK(stage.sent(2).task.identity == "/mcp/a.toml");
    for (auto const* const params :
         {"{}", R"({"ref":{}})", R"({"ref":{"type":"ref/prompt","name":"x"}})", R"({"ref":[]})",
          R"({"ref":{"type":"ref/prompt","name":"a__sum_up","name":"b__sum_up"}})"}) {
        stage.ask("9", "completion/complete", params);
        CHECK(stage.code_of("9") == -32602);
        stage.ear->take();
    }
}

TEST_CASE("of a resource that changes only those hear who subscribed to it, until they unsubscribe") {
    Stage stage;
    with_files(stage, "a", {"file:///x", "file:///y"});
    stage.open();
    auto const update = [&](std::string const& identity, std::string const& uri) {
        stage.ear->take();
        stage.client->notified(identity, uri, "notifications/resources/updated", fmt::format(R"({{"uri":"{}"}})", uri));
        return stage.ear->said.size();
    };
    stage.servers.reply = "{}";
    CHECK(update("/mcp/a.toml", "file:///x") == 0);
    stage.ask("1", "resources/subscribe", R"({"uri":"file:///x","more":1})");
    CHECK(stage.sent().params == R"({"uri":"file:///x","more":1})");
    CHECK(stage.answer_to("1").at("result").is_object());
    CHECK(update("/mcp/a.toml", "file:///x") == 1);
    CHECK(update("/mcp/a.toml", "file:///y") == 0);
    CHECK(update("/mcp/b.toml", "file:///x") == 0);
    stage.ask("2", "resources/unsubscribe", R"({"uri":"file:///x"})");
    CHECK(update("/mcp/a.toml", "file:///x") == 0);
    stage.ask("3", "resources/subscribe", R"({"uri":"file:///absent"})");
    CHECK(stage.code_of("3") == -32002);
    stage.servers.reply.reset();
    stage.ask("4", "resources/subscribe", R"({"uri":"file:///y"})");
    stage.servers.sent.back()->refuse(R"({"code":-32601,"message":"no"})");
    test::turn(stage.context);
    CHECK(stage.code_of("4") == -32601);
    CHECK(update("/mcp/a.toml", "file:///y") == 0); // it was refused
}

TEST_CASE("who subscribed under a URI of ours hears of it under that URI") {
    Stage stage;
    with_files(stage, "a", {"file:///both"}), with_files(stage, "b", {"file:///both"});
    stage.open();
    stage.servers.reply = "{}";
    stage.ask("1", "resources/subscribe", R"({"uri":"pfar://b/file:///both"})");
    stage.client->notified("/mcp/b.toml", "file:///both", "notifications/resources/updated",
                           R"({"uri":"file:///both"})");
    auto const heard = stage.ear->of_method("notifications/resources/updated");
    REQUIRE(heard.size() == 1);
    CHECK(heard[0].at("params").at("uri") == "pfar://b/file:///both");
}

TEST_CASE("log messages are filtered by what this client asked for, and everything goes before it asked") {
    Stage stage;
    stage.open();
    message(stage, "debug");
    CHECK(stage.ear->said.size() == 1);
    stage.ask("1", "logging/setLevel", R"({"level":"warning"})");
    CHECK(stage.levels == std::vector<std::string>{"warning"});
    stage.ear->take();
    for (auto const* const level : {"debug", "info", "notice"}) message(stage, level);
    CHECK(stage.ear->said.empty());
    for (auto const* const level : {"warning", "error", "critical", "alert", "emergency"}) message(stage, level);
    CHECK(stage.ear->said.size() == 5);
    stage.client->say("info", "not this"), stage.client->say("error", "this \"one\"");
    CHECK(stage.ear->said.size() == 6);
    CHECK(boost::json::parse(stage.ear->said.back().text).at("params").at("data") == "this \"one\"");
    for (auto const* const params : {"{}", R"({"level":"loud"})", R"({"level":3})", R"({"level":"WARNING"})"}) {
        stage.ask("2", "logging/setLevel", params);
        CHECK(stage.code_of("2") == -32602);
    }
    CHECK(stage.client->level() == "warning");
}

TEST_CASE("what a server logs during a call belongs to it, and is filtered too") {
    Stage stage;
    stage.offer("a");
    stage.open();
    stage.ask("\"c\"", "tools/call", R"({"name":"a__look"})");
    stage.sent().task.talk->told("notifications/message", R"({"level":"debug","data":1})");
    REQUIRE(stage.ear->said.size() == 1);
    CHECK(stage.ear->said[0].about == "\"c\"");
    stage.ask("2", "logging/setLevel", R"({"level":"error"})");
    stage.ear->take();
    stage.sent().task.talk->told("notifications/message", R"({"level":"debug","data":1})");
    CHECK(stage.ear->said.empty());
    stage.sent().task.talk->told("notifications/message", R"({"level":"error","data":1})");
    CHECK(stage.ear->said.size() == 1);
}

TEST_CASE("changes of lists are told soon, once for many, and to nobody before initialize") {
    Stage stage;
    stage.client->list_changed("tools");
    stage.open();
    for (int i = 0; i < 100; ++i) stage.client->list_changed("tools"), stage.client->list_changed("prompts");
    REQUIRE(stage.until([&] { return stage.ear->said.size() >= 2; }));
    CHECK(stage.ear->of_method("notifications/tools/list_changed").size() == 1);
    CHECK(stage.ear->of_method("notifications/prompts/list_changed").size() == 1);
    CHECK(stage.ear->said.size() == 2);
}

TEST_CASE("a client that does not read hears no notifications, but its answers") {
    Stage stage;
    stage.open();
    stage.ear->unread = std::size_t{5} << 20U;
    for (int i = 0; i < 1000; ++i) message(stage, "error");
    CHECK(stage.ear->said.empty());
    stage.ask("1", "ping");
    CHECK(stage.answer_to("1").at("result").is_object());
}
