// Initialize, and what a server asks and tells by itself.
#include "unit/servers/session_stage.hpp"
#include "wire/revisions.hpp"

#include <pfar/secret.hpp>

using namespace pfar;
using namespace pfar::servers;
using namespace std::chrono_literals;
using test::greeting;
using test::SessionStage;

namespace {

bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

SessionTask hasty(std::chrono::milliseconds start) {
    SessionTask task;
    task.timeouts.start = start;
    return task;
}

} // namespace

TEST_CASE("all four revisions are spoken, and the server's words about itself are kept") {
    for (auto const* const revision : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
        CHECK(pfar::wire::is_revision(revision));
        SessionStage stage;
        REQUIRE(stage.greet(fmt::format(
            R"({{"protocolVersion":"{}","capabilities":{{"tools":{{}},"x":1}},"instructions":"be\nkind","serverInfo":{{"name":"n","version":"v","title":"t"}}}})",
            revision)));
        CHECK(stage.next().at("method") == "notifications/initialized");
        auto const& facts = stage.session->facts();
        CHECK(facts.protocol == revision);
        CHECK(facts.name == "n");
        CHECK(facts.version == "v");
        CHECK(facts.title == "t");
        CHECK(facts.instructions == "be\nkind");
        CHECK(facts.capabilities == R"({"tools":{},"x":1})");
        CHECK(facts.offers("tools"));
        CHECK_FALSE(facts.offers("prompts"));
    }
}

TEST_CASE("a revision that pfar does not speak is refused with both in the words") {
    for (auto const* const revision : {"2026-07-28", "1999-01-01", "", "2025-11-25 "}) {
        CHECK_FALSE(pfar::wire::is_revision(revision));
        SessionStage stage;
        auto const refused = stage.greet(greeting(revision));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::unsupported);
        CHECK(refused.error().what ==
              fmt::format("it speaks MCP \"{}\"; pfar speaks 2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25",
                          revision));
        CHECK(stage.rest().empty()); // not "initialized"
    }
    SessionStage stage;
    CHECK(has(stage.greet(R"({"protocolVersion":"\u001b[31mred","capabilities":{}})").error().what, "\\u001b[31mred"));
}

TEST_CASE("initialize says who asks, what it can and what is granted") {
    SessionTask task;
    task.access = R"({"fs":[{"path":"/notes"}]})";
    SessionStage stage(std::move(task));
    auto const done = test::begin(stage.context, stage.session->initialize(stage.heard()));
    auto const asked = stage.next();
    auto const& params = asked.at("params");
    CHECK(asked.at("method") == "initialize");
    CHECK(params.at("protocolVersion") == "2025-11-25");
    CHECK(params.at("clientInfo").at("name") == "pfar");
    CHECK(params.at("capabilities").as_object().contains("sampling"));
    CHECK(params.at("capabilities").at("elicitation").as_object().contains("url"));
    CHECK(params.at("capabilities").as_object().contains("roots"));
    CHECK(params.at("_meta").at("pfar/access").at("fs").at(0).at("path") == "/notes");
}

TEST_CASE("a server that does not answer initialize is given up in time, and not told of a cancellation") {
    SessionStage stage(hasty(50ms));
    stage.initialized = test::begin(stage.context, stage.session->initialize(stage.heard()));
    CHECK(stage.next().at("method") == "initialize");
    REQUIRE(stage.until([&] { return stage.initialized->has_value(); }));
    CHECK((*stage.initialized)->error().code == Errc::timeout);
    CHECK((*stage.initialized)->error().what.starts_with("it did not answer initialize within "));
    CHECK(stage.rest().empty());
    CHECK(stage.session->in_flight() == 0);
}

TEST_CASE("an error, or something else than an object, as the answer to initialize is told") {
    SessionStage refusing;
    refusing.initialized = test::begin(refusing.context, refusing.session->initialize(refusing.heard()));
    refusing.refuse(refusing.next(), R"({"code":-32000,"message":"no\u0007 token"})");
    REQUIRE(refusing.until([&] { return refusing.initialized->has_value(); }));
    CHECK((*refusing.initialized)->error().code == Errc::refused);
    CHECK((*refusing.initialized)->error().what == "it refused initialize: no\\u0007 token (-32000)");
    for (auto const* const answer : {"null", "[]", "7", "\"x\""}) {
        SessionStage stage;
        auto const refused = stage.greet(answer);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().what == "its answer to initialize is no object");
    }
}

TEST_CASE("what a server says about itself may be wrong in every part, and long") {
    SessionStage stage;
    REQUIRE(stage.greet(R"({"protocolVersion":"2025-06-18","capabilities":[1],"serverInfo":"x","instructions":7})"));
    CHECK(stage.session->facts().capabilities == "{}");
    CHECK(stage.session->facts().name.empty());
    CHECK(stage.session->facts().instructions.empty());
    SessionStage talker;
    auto const name = std::string(255, 'n') + "\xc3\xa4";
    REQUIRE(talker.greet(fmt::format(
        R"({{"protocolVersion":"2025-06-18","serverInfo":{{"name":"{}","version":7}},"instructions":"{}","deep":{}}})",
        name, std::string(4 << 20, 'i'), std::string(60, '[') + std::string(60, ']'))));
    CHECK(talker.session->facts().name == std::string(255, 'n')); // not half a character
    CHECK(talker.session->facts().instructions.size() == 64U << 10U);
}

TEST_CASE("roots/list and ping are answered by pfar itself") {
    SessionTask task;
    task.roots = {"/notes", "/a b/\xc3\xa4", "/\xff"};
    SessionStage stage(std::move(task));
    stage.open();
    stage.say(R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})");
    auto const roots = stage.next();
    CHECK(roots.at("id") == "r");
    CHECK(roots.at("result").at("roots").at(0).at("uri") == "file:///notes");
    CHECK(roots.at("result").at("roots").at(1).at("uri") == "file:///a%20b/%C3%A4");
    CHECK(roots.at("result").at("roots").at(2).at("uri") == "file:///%FF");
    stage.say(R"({"jsonrpc":"2.0","id":4,"method":"ping"})");
    CHECK(stage.next().at("result").as_object().empty());
    CHECK(stage.requests.empty());
}

TEST_CASE("sampling and elicitation that nobody can answer are refused with an error that names them and the client") {
    SessionStage stage;
    stage.open();
    stage.say(R"({"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}})");
    auto const sampling = stage.next();
    CHECK(sampling.at("error").at("message") == "the client in flight, test, has no sampling");
    stage.say(R"({"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{}})");
    CHECK(stage.next().at("error").at("message") == "the client in flight, test, has no elicitation");
    stage.answers_requests = true;
    stage.say(R"({"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":{}})");
    REQUIRE(stage.until([&] { return stage.requests.size() == 3; }));
    CHECK(stage.rest().empty()); // whoever took it answers
    stage.session->peer().answer("3", R"({"role":"user"})");
    CHECK(stage.next().at("result").at("role") == "user");
}

TEST_CASE("methods that pfar does not have are refused by name") {
    SessionStage stage;
    stage.open();
    for (auto const* const method : {"tools/list", "sampling/other", "evil"}) {
        stage.say(fmt::format(R"({{"jsonrpc":"2.0","id":"x","method":"{}"}})", method));
        auto const refused = stage.next();
        CHECK(refused.at("error").at("code") == -32601);
        CHECK(refused.at("error").at("message").as_string() == fmt::format("pfar has no method {}", method));
    }
    CHECK(stage.requests.empty());
}

TEST_CASE("changes of lists are heard by kind, and every other notification as it came") {
    SessionStage stage;
    stage.open();
    for (auto const* const method : {"notifications/tools/list_changed", "notifications/resources/list_changed",
                                     "notifications/prompts/list_changed", "notifications/roots/list_changed",
                                     "notifications//list_changed", "notifications/list_changed"})
        stage.say(fmt::format(R"({{"jsonrpc":"2.0","method":"{}"}})", method));
    stage.say(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}})");
    stage.say(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}})");
    REQUIRE(stage.until([&] { return stage.notifications.size() == 5; }));
    CHECK(stage.changed == std::vector<std::string>{"tools", "resources", "prompts"});
    CHECK(stage.notifications[3] == R"(notifications/message {"level":"info","data":1})");
    CHECK(stage.notifications[4] == R"(notifications/resources/updated {"uri":"a:b"})");
}

TEST_CASE("a secret that the server was given is taken out of everything it says") {
    Secret const token(std::string_view("hunter2-hunter2"));
    SessionTask task;
    auto const redactor = std::make_shared<base::Redactor const>(std::vector<base::Redactor::Known>{{"token", &token}});
    task.redactor = [redactor] { return redactor; };
    SessionStage stage(std::move(task));
    REQUIRE(stage.greet(R"({"protocolVersion":"2025-06-18","capabilities":{},"instructions":"use hunter2-hunter2"})"));
    CHECK(stage.session->facts().instructions == "use [redacted:token]");
    stage.next();
    auto const result = stage.ask({"tools/call", "{}"}), error = stage.ask({"tools/call", "{}"});
    stage.answer(stage.next(), R"({"x":"hunter2-hunter2"})");
    stage.refuse(stage.next(), R"({"code":1,"message":"bad hunter2\u002dhunter2"})");
    stage.say(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":"aHVudGVyMi1odW50ZXIy"}})");
    stage.say("garbage hunter2-hunter2");
    REQUIRE(stage.until([&] { return result->has_value() && error->has_value() && !stage.troubles.empty(); }));
    CHECK((**result)->payload == R"({"x":"[redacted:token]"})");
    CHECK((**error)->is_error);
    for (auto const& heard : {(**error)->payload, stage.notifications.at(0), stage.troubles.at(0)}) {
        CHECK(has(heard, "[redacted:token]"));
        CHECK_FALSE(has(heard, "hunter2"));
    }
}
