// The talk itself: initialize, ids, batches, what is malformed, and what is taken back.
#include "unit/gateway/client_stage.hpp"

using namespace pfar;
using Stage = test::ClientStage;
using Texts = std::vector<std::string>;

namespace {

std::string call(std::string_view id) {
    return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"a__look"}}}})", id);
}
std::string ping(std::string_view id) {
    return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"ping"}})", id);
}

} // namespace

TEST_CASE("a revision that both speak is agreed on, and otherwise the latest is offered") {
    for (auto const& [wanted, got] : {std::pair{"2024-11-05", "2024-11-05"}, std::pair{"2025-03-26", "2025-03-26"},
                                      std::pair{"2025-06-18", "2025-06-18"}, std::pair{"2025-11-25", "2025-11-25"},
                                      std::pair{"2099-01-01", "2025-11-25"}, std::pair{"x", "2025-11-25"}}) {
        Stage stage;
        stage.ask("1", "initialize", fmt::format(R"({{"protocolVersion":"{}","capabilities":{{}}}})", wanted));
        auto const result = stage.answer_to("1").at("result");
        CHECK(result.at("protocolVersion") == got);
        CHECK(result.at("serverInfo").at("name") == "pfar");
        CHECK(result.at("capabilities").at("tools").at("listChanged") == true);
        CHECK(stage.client->protocol() == got);
    }
}

TEST_CASE("an initialize that lacks something is refused, and another one may follow; a second one is refused") {
    Stage stage;
    int id = 0;
    for (auto const* const params :
         {"{}", R"({"protocolVersion":"2025-06-18"})", R"({"capabilities":{}})", "[]",
          R"({"protocolVersion":5,"capabilities":{}})", R"({"protocolVersion":"2025-06-18","capabilities":[]})"}) {
        stage.ask(std::to_string(++id), "initialize", params);
        CHECK(stage.code_of(std::to_string(id)) == -32602);
        CHECK(stage.client->protocol().empty());
    }
    stage.open();
    stage.ask("100", "initialize", R"({"protocolVersion":"2025-06-18","capabilities":{}})");
    CHECK(stage.code_of("100") == -32600);
    CHECK(stage.client->protocol() == "2025-11-25");
}

TEST_CASE("before initialize only ping is answered") {
    Stage stage;
    stage.offer("a");
    stage.ask("1", "ping");
    CHECK(stage.answer_to("1").at("result") == boost::json::object());
    for (auto const* const method : {"tools/list", "tools/call", "logging/setLevel", "no/such"}) {
        stage.ask(wire::quoted(method), method);
        CHECK(stage.code_of(wire::quoted(method)) == -32600);
    }
    CHECK(stage.servers.sent.empty());
}

TEST_CASE("ids come back as they were written, whatever their form") {
    Stage stage;
    stage.open();
    for (auto const* const id : {"1", "0", "-7", R"("a")", R"("")", R"("\u00e4\"\\")", "\"\xc3\xa4\"",
                                 "123456789012345678901234567890", R"("1")"}) {
        stage.ask(id, "ping");
        CHECK(stage.ear->said.back().text == fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{}}}})", id));
        CHECK(stage.ear->said.back().about == id);
        CHECK(stage.ear->said.back().last);
    }
    stage.ask("5", "no/such");
    CHECK(stage.code_of("5") == -32601);
}

TEST_CASE("a second request under an id that waits is refused, and the first is answered; then it is free again") {
    Stage stage;
    stage.offer("a");
    stage.open();
    stage.hear(call("1"));
    stage.hear(ping("1"));
    REQUIRE(stage.ear->said.size() == 1);
    CHECK(stage.ear->said[0].text.find("-32600") != std::string::npos);
    CHECK_FALSE(stage.ear->said[0].last);
    stage.answer(R"({"content":[]})");
    CHECK(stage.answer_to("1").at("result").is_object());
    stage.ear->take();
    stage.hear(ping("1"));
    CHECK(stage.answer_to("1").at("result").is_object());
}

TEST_CASE("the 65th request in flight is refused, and one that is answered makes room") {
    Stage stage;
    stage.offer("a");
    stage.open();
    for (int i = 1; i <= 64; ++i) stage.hear(call(std::to_string(i)));
    CHECK(stage.client->in_flight() == 64);
    CHECK(stage.ear->said.empty());
    stage.hear(call("65"));
    CHECK(stage.code_of("65") == -32000);
    CHECK(stage.servers.sent.size() == 64);
    stage.answer("{}");
    stage.hear(call("66"));
    CHECK(stage.servers.sent.size() == 65);
}

TEST_CASE("what is malformed is answered with the id null, and the next message is heard") {
    Stage stage;
    stage.open();
    for (auto const& text :
         {std::string("{"), std::string("hello"), std::string(R"({"jsonrpc":"2.0","id":1,"method":"ping"}x)"),
          std::string("\xff\xfe"), std::string(200'000, '{'),
          R"({"jsonrpc":"2.0","id":1,"method":"ping","params":)" + std::string(70, '[') + std::string(70, ']') + "}"}) {
        stage.hear(text);
        REQUIRE(stage.ear->said.size() == 1);
        auto const said = boost::json::parse(stage.ear->take().at(0));
        CHECK(said.at("id").is_null());
        CHECK(said.at("error").at("code") == -32700);
    }
    stage.hear(ping("1"));
    CHECK(stage.answer_to("1").at("result").is_object());
}

TEST_CASE("a message may have space around it, line ends too, since HTTP has no lines") {
    Stage stage;
    stage.open();
    stage.hear("\r\n " + ping("1") + "\n");
    CHECK(stage.answer_to("1").is_object());
}

TEST_CASE("JSON that is no message is an invalid request, not a parse error") {
    Stage stage;
    stage.open();
    for (auto const* const text :
         {R"({"id":1,"method":"ping"})", R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", "{}", "7"}) {
        stage.hear(text);
        CHECK(boost::json::parse(stage.ear->take().at(0)).at("error").at("code") == -32600);
    }
}

TEST_CASE("batches are for 2025-03-26 alone") {
    for (auto const* const revision : {"2024-11-05", "2025-06-18", "2025-11-25"}) {
        Stage stage;
        stage.open("{}", revision);
        stage.hear("[" + ping("1") + "]");
        REQUIRE(stage.ear->said.size() == 1);
        CHECK(boost::json::parse(stage.ear->said[0].text).at("id").is_null());
    }
    Stage early;
    early.hear("[" + ping("1") + "]");
    CHECK(boost::json::parse(early.ear->said.at(0).text).at("error").at("code") == -32600);
}

TEST_CASE("a batch is answered as one array when all of it is answered; notifications have no answer") {
    Stage stage;
    stage.offer("a");
    stage.open("{}", "2025-03-26");
    stage.hear(fmt::format(R"(  [{},{},{{"jsonrpc":"2.0","method":"notifications/x"}},{}])", ping("1"), call("2"),
                           ping("\"three\"")));
    CHECK(stage.ear->said.empty());
    stage.answer("{}");
    REQUIRE(stage.ear->said.size() == 1);
    auto const all = boost::json::parse(stage.ear->said[0].text);
    REQUIRE(all.as_array().size() == 3);
    CHECK(all.at(0).at("id") == 1);
    CHECK(all.at(2).at("id") == 2);
    stage.ear->take();
    stage.hear(R"([{"jsonrpc":"2.0","method":"notifications/x"}])");
    CHECK(stage.ear->said.empty());
    stage.hear("[" + ping("9") + "]");
    CHECK(stage.ear->take() == Texts{R"([{"jsonrpc":"2.0","id":9,"result":{}}])"});
}

TEST_CASE("a batch that is empty or of more than 64 is refused as a whole") {
    Stage stage;
    stage.open("{}", "2025-03-26");
    auto const batch_of = [](int count) {
        std::string out = "[" + ping("1");
        for (int i = 2; i <= count; ++i) out += "," + ping(std::to_string(i));
        return out + "]";
    };
    for (auto const& text : {std::string("[]"), batch_of(65)}) {
        stage.hear(text);
        REQUIRE(stage.ear->said.size() == 1);
        CHECK(boost::json::parse(stage.ear->take().at(0)).at("id").is_null());
    }
    stage.hear(batch_of(64));
    REQUIRE(stage.ear->said.size() == 1);
    CHECK(boost::json::parse(stage.ear->said[0].text).as_array().size() == 64);
}

TEST_CASE("what is wrong in a batch is answered inside of its array") {
    Stage stage;
    stage.open("{}", "2025-03-26");
    stage.hear("[1," + ping("1") + "]");
    REQUIRE(stage.ear->said.size() == 1);
    CHECK(boost::json::parse(stage.ear->said[0].text).as_array().size() == 2);
}

TEST_CASE("what is cancelled is not answered, and the server is told") {
    Stage stage;
    stage.offer("a");
    stage.open();
    stage.hear(call("\"x\""));
    stage.tell("notifications/cancelled", R"({"requestId":"y"})"); // nobody's
    stage.tell("notifications/cancelled", R"({"requestId":1})");
    stage.tell("notifications/cancelled", "{}");
    CHECK(stage.client->in_flight() == 1);
    stage.tell("notifications/cancelled", R"({"requestId":"x","reason":"bored"})");
    CHECK(stage.client->in_flight() == 0);
    CHECK(stage.sent().cancelled == "the client cancelled it"); // what it says beside is not for servers
    REQUIRE(stage.ear->said.size() == 1);                       // an empty word to the transport: nothing answers it
    CHECK(stage.ear->said[0].text.empty());
    CHECK(stage.ear->said[0].last);
    stage.tell("notifications/cancelled", R"({"requestId":"x"})");
    CHECK(stage.ear->said.size() == 1);
}

TEST_CASE("a batch of which something is cancelled is answered with the rest") {
    Stage stage;
    stage.offer("a");
    stage.open("{}", "2025-03-26");
    stage.hear(fmt::format("[{},{},{}]", call("1"), call("2"), ping("3")));
    stage.tell("notifications/cancelled", R"({"requestId":1})");
    stage.answer("{}", 1);
    auto const last = boost::json::parse(stage.ear->said.back().text);
    CHECK(last.as_array().size() == 2);
    stage.ear->take();
    stage.hear(fmt::format("[{},{}]", ping("4"), call("5")));
    stage.tell("notifications/cancelled", R"({"requestId":5})"); // the last one that it waited for
    CHECK(boost::json::parse(stage.ear->said.back().text).as_array().size() == 1);
    stage.ear->take();
    stage.hear(fmt::format("[{}]", call("6")));
    stage.tell("notifications/cancelled", R"({"requestId":6})");
    for (auto const& text : stage.ear->take()) CHECK(text.empty());
}

TEST_CASE("a hundred thousand ids, cancellations of nothing and answers to nothing leave nothing behind") {
    Stage stage;
    stage.offer("a");
    stage.open();
    for (int i = 1; i <= 100'000; ++i) {
        auto const id = std::to_string(i);
        stage.client->hear(
            i % 4 == 0   ? call(id)
            : i % 4 == 1 ? R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":-)" + id + "}}"
            : i % 4 == 2 ? R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})"
                         : ping(id));
        if (stage.ear->said.size() > 1000) stage.ear->take();
    }
    test::turn(stage.context);
    CHECK(stage.client->in_flight() == 64);
    CHECK(stage.servers.sent.size() == 64);
}
