#include "support/process.hpp"
#include "unit/gateway/http_world.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using test::agent;
using test::call;
using test::has;
using test::HttpAgent;
using test::HttpWorld;
using test::initialize_text;
using test::poster;

TEST_CASE("initialize begins a session, and its id comes with the answer") {
    HttpWorld world;
    auto const answer = world.ask("POST", "/mcp", poster(), initialize_text());
    CHECK(answer.status == 200);
    CHECK(answer.field("content-type") == "application/json");
    CHECK(has(answer.body, "\"answered\":true"));
    auto const id = answer.field("mcp-session-id");
    CHECK(id.size() >= 32);
    CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(world.sessions() == 1);
}

TEST_CASE("every session has an id of its own") {
    HttpWorld world;
    std::set<std::string> ids;
    for (int i = 0; i < 20; ++i) ids.insert(HttpAgent(world).id);
    CHECK(ids.size() == 20);
}

TEST_CASE("an answer that is all there is to say comes as plain JSON") {
    HttpWorld world;
    HttpAgent const client(world);
    auto const answer = client.post(call("7", "ping"));
    CHECK(answer.status == 200);
    CHECK(answer.field("content-type") == "application/json");
    CHECK(answer.body == R"({"jsonrpc":"2.0","id":7,"result":{"answered":true}})");
    CHECK(answer.field("mcp-session-id").empty());
}

TEST_CASE("a connection serves one request after the other, also those that were sent at once") {
    HttpWorld world;
    HttpAgent const client(world);
    auto talk = world.talk();
    std::string all;
    for (int i = 0; i < 5; ++i)
        all += test::request_text("POST", "/mcp", poster(client.fields()), call(std::to_string(i), "ping"));
    talk.say(all);
    for (int i = 0; i < 5; ++i) CHECK(has(talk.hear().body, "\"id\":" + std::to_string(i)));
}

TEST_CASE("what is said before the answer makes it a stream, which ends with the answer") {
    HttpWorld world;
    HttpAgent const client(world);
    auto talk = client.posting(call("\"a\"", "noisy"));
    auto const head = talk.hear();
    CHECK(head.status == 200);
    CHECK(head.field("content-type") == "text/event-stream");
    auto const first = talk.event(), second = talk.event(), third = talk.event();
    REQUIRE((first && second && third));
    CHECK((!first->id.empty() && first->data.empty())); // the priming event
    CHECK(first->retry == "1000");                      // when to come again if the connection goes before the answer
    CHECK((second->retry.empty() && third->retry.empty()));
    CHECK(has(second->data, "notifications/progress"));
    CHECK(has(third->data, "\"id\":\"a\""));
    CHECK_FALSE(talk.event());
    talk.say(test::request_text("POST", "/mcp", poster(client.fields()), call("2", "ping")));
    CHECK(talk.hear().status == 200); // on the same connection
}

TEST_CASE("sessions of earlier revisions get no priming event") {
    HttpWorld world;
    HttpAgent const client(world, "2025-06-18");
    auto talk = client.posting(call("1", "noisy"));
    talk.hear();
    CHECK(has(talk.event()->data, "notifications/progress"));
}

TEST_CASE("an answer that takes long becomes a stream, with signs of life") {
    HttpWorld::Wish wish;
    wish.limits.tick = wish.limits.plain = wish.limits.comment = std::chrono::milliseconds(20);
    HttpWorld world(wish);
    HttpAgent const client(world, "2025-06-18");
    auto talk = client.posting(call("1", "slow"));
    CHECK(talk.hear().field("content-type") == "text/event-stream");
    CHECK(has(talk.event()->comment, ":"));
    world.on_thread([&] { world.last_party()->answer("1"); });
    CHECK(has(talk.message()->data, "\"answered\":true"));
    CHECK_FALSE(talk.message());
}

TEST_CASE("a client that takes JSON only gets JSON, and what is said before goes to its GET") {
    HttpWorld world;
    HttpAgent const client(world);
    auto const answer = client.post(call("1", "noisy"), {{"Accept", "application/json"}});
    CHECK(answer.field("content-type") == "application/json");
    auto listener = client.listening();
    CHECK(listener.hear().status == 200);
    CHECK(has(listener.message()->data, "notifications/progress"));
}

TEST_CASE("a client that takes events only gets events") {
    HttpWorld world;
    HttpAgent const client(world);
    auto talk = client.posting(call("1", "ping"), {{"Accept", "text/event-stream"}});
    CHECK(talk.hear().field("content-type") == "text/event-stream");
    CHECK(has(talk.message()->data, "\"answered\":true"));
    CHECK_FALSE(talk.message());
}

TEST_CASE("HTTP/1.0 is understood, and its connection ends with the reply") {
    HttpWorld world;
    HttpAgent const client(world);
    auto talk = world.talk();
    auto text = test::request_text("POST", "/mcp", poster(client.fields()), call("1", "noisy"));
    text.replace(text.find("HTTP/1.1"), 8, "HTTP/1.0");
    talk.say(text);
    CHECK(talk.hear().field("transfer-encoding").empty());
    CHECK(has(talk.message()->data, "progress"));
    CHECK(has(talk.message()->data, "answered"));
    CHECK_FALSE(talk.message());
    CHECK(talk.ended());
}

TEST_CASE("notifications and answers are taken without a word") {
    HttpWorld world;
    HttpAgent const client(world);
    auto const text =
        GENERATE(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", R"({"jsonrpc":"2.0","id":9,"result":{}})",
                 R"({"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"no"}})");
    auto const answer = client.post(text);
    CHECK(answer.status == 202);
    CHECK(answer.body.empty());
    CHECK(world.party()->heard.back() == text);
}

TEST_CASE("a batch is for sessions of 2025-03-26, and is answered by one") {
    HttpWorld world;
    auto const batch = "[" + call("1", "ping") + "," + call("2", "ping") + "]";
    CHECK(HttpAgent(world).post(batch).status == 400);
    CHECK(HttpAgent(world, "2025-06-18").post(batch).status == 400);
    HttpAgent const client(world, "2025-03-26");
    auto const answer = client.post(batch);
    CHECK(answer.status == 200);
    auto const read = boost::json::parse(answer.body);
    REQUIRE(read.is_array());
    CHECK(read.as_array().size() == 2);
    auto const one = boost::json::parse(client.post("[" + call("1", "ping") + "]").body);
    REQUIRE(one.is_array());
    CHECK(client.post("[]").status == 400);
    std::string many = "[" + call("0", "ping");
    for (int i = 1; i < 65; ++i) many += "," + call(std::to_string(i), "ping");
    CHECK(client.post(many + "]").status == 400);
}

TEST_CASE("a batch's answers that come as one array are passed on as one") {
    HttpWorld world;
    HttpAgent const client(world, "2025-03-26");
    auto talk = client.posting("[" + call("1", "slow") + "," + call("2", "slow") + "]");
    REQUIRE(world.becomes([&] { return world.last_party()->heard.size() == 2; }));
    std::string const array = R"([{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}])";
    world.on_thread([&] { world.last_party()->send(array, "1", true); });
    CHECK(talk.hear().body == array);
}

TEST_CASE("what is no message is refused with JSON-RPC's own words") {
    HttpWorld world;
    HttpAgent const client(world);
    auto const text =
        GENERATE("", "nonsense", "{}", R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"1.0","id":1,"method":"ping"})",
                 R"({"jsonrpc":"2.0","id":1,"method":"ping")", "[1]");
    CAPTURE(text);
    auto const answer = client.post(text);
    CHECK(answer.status == 400);
    CHECK(has(answer.body, "\"error\""));
}

TEST_CASE("a session is needed for everything but initialize, and has to be one of this place") {
    HttpWorld world;
    HttpAgent const all(world), one(world, "2025-11-25", "/mcp/notes");
    CHECK(world.party()->server() == "notes");
    CHECK(world.ask("POST", "/mcp", poster(), call("1", "ping")).status == 400);
    CHECK(world.ask("GET", "/mcp", agent({{"Accept", "text/event-stream"}})).status == 400);
    CHECK(world.ask("DELETE", "/mcp", agent()).status == 400);
    auto const unknown =
        world.ask("POST", "/mcp", poster({{"Mcp-Session-Id", std::string(40, 'a')}}), call("1", "ping"));
    CHECK(unknown.status == 404);
    auto const foreign = world.ask("POST", "/mcp", poster({{"Mcp-Session-Id", one.id}}), call("1", "ping"));
    CHECK(foreign.status == 404);
    CHECK(foreign.body == unknown.body);
    CHECK(world.ask("POST", "/mcp/notes", poster({{"Mcp-Session-Id", all.id}}), call("1", "ping")).status == 404);
    CHECK(world.ask("POST", "/mcp/other", poster({{"Mcp-Session-Id", one.id}}), call("1", "ping")).status == 404);
    CHECK(one.post(call("1", "ping")).status == 200);
}

TEST_CASE("a server that is not there is told by name") {
    HttpWorld world;
    auto const answer = world.ask("POST", "/mcp/absent", poster(), initialize_text());
    CHECK(answer.status == 404);
    CHECK(has(answer.body, "there is no server absent"));
    CHECK(has(answer.body, "\"jsonrpc\""));
    CHECK(world.sessions() == 0);
}

TEST_CASE("a session that could not be initialized is none") {
    HttpWorld world;
    auto const answer = world.ask("POST", "/mcp", poster(), call("1", "initialize", "{}"));
    CHECK(answer.status == 200);
    CHECK(has(answer.body, "\"error\""));
    CHECK(answer.field("mcp-session-id").empty());
    CHECK(world.becomes([&] { return !world.last_party()->ended.empty(); }));
    CHECK(world.sessions() == 0);
}

TEST_CASE("DELETE ends a session, and its requests are answered") {
    HttpWorld world;
    HttpAgent const client(world);
    auto talk = client.posting(call("1", "slow"));
    auto listener = client.listening();
    REQUIRE(world.becomes([&] { return world.last_party()->heard.size() == 2; }));
    CHECK(listener.hear().status == 200);
    CHECK(world.ask("DELETE", "/mcp", agent(client.fields())).status == 204);
    CHECK(has(talk.hear().body, "the session is over"));
    CHECK_FALSE(listener.message());
    CHECK_FALSE(world.party()->ended.empty());
    CHECK(client.post(call("1", "ping")).status == 404);
    CHECK(world.ask("DELETE", "/mcp", agent(client.fields())).status == 404);
    CHECK(world.sessions() == 0);
}

TEST_CASE("a session that its party closes is over, and what was asked is answered") {
    HttpWorld world;
    HttpAgent const client(world);
    auto talk = client.posting(call("1", "slow"));
    REQUIRE(world.becomes([&] { return world.last_party()->heard.size() == 2; }));
    world.on_thread([&] { world.last_party()->leave("the host stops"); });
    CHECK(has(talk.hear().body, "the host stops"));
    CHECK(client.post(call("1", "ping")).status == 404);
}

TEST_CASE("an id that waits for its answer cannot be used a second time") {
    HttpWorld world;
    HttpAgent const client(world);
    auto talk = client.posting(call("1", "slow"));
    REQUIRE(world.becomes([&] { return world.last_party()->heard.size() == 2; }));
    CHECK(client.post(call("1", "ping")).status == 400);
    CHECK(client.post(call("\"1\"", "ping")).status == 200); // another id
    world.on_thread([&] { world.last_party()->answer("1"); });
    CHECK(talk.hear().status == 200);
    CHECK(client.post(call("1", "ping")).status == 200);
}

TEST_CASE("a request that its client took back ends its POST") {
    HttpWorld world;
    HttpAgent const client(world);
    auto talk = client.posting(call("1", "slow"));
    REQUIRE(world.becomes([&] { return world.last_party()->heard.size() == 2; }));
    world.on_thread([&] { world.last_party()->send("", "1", true); });
    CHECK(talk.hear().status == 202);
    CHECK(client.post(call("1", "ping")).status == 200);
}

TEST_CASE("Accept, Content-Type and MCP-Protocol-Version are held to what MCP says") {
    HttpWorld world;
    HttpAgent const client(world);
    auto const ping = call("1", "ping");
    CHECK(client.post(ping, {{"Accept", "*/*"}}).status == 200);
    CHECK(client.post(ping, {{"Accept", "text/html"}}).status == 406);
    CHECK(client.post(ping, {{"Accept", "APPLICATION/JSON;q=0.9 , text/event-stream"}}).status == 200);
    CHECK(client.post(ping, {{"Content-Type", "text/plain"}}).status == 415);
    CHECK(client.post(ping, {{"Content-Type", "application/json; charset=utf-8"}}).status == 200);
    CHECK(client.post(ping, {{"MCP-Protocol-Version", "2025-06-18"}}).status == 200);
    CHECK(client.post(ping, {{"MCP-Protocol-Version", "1999-01-01"}}).status == 400);
    CHECK(world.ask("GET", "/mcp", agent(client.fields({{"Accept", "application/json"}}))).status == 406);
    CHECK(world.ask("GET", "/mcp", agent(client.fields())).status == 406);
    auto const put = world.ask("PUT", "/mcp", agent(client.fields()));
    CHECK(put.status == 405);
    CHECK(put.field("allow") == "POST, GET, DELETE");
}

TEST_CASE("paths are what they are, without tricks") {
    HttpWorld world;
    for (auto const* const path :
         {"/mcp/", "/mcp/a/b", "/mcp/../mcp", "/mcp/%61", "/mcp/A", "/mcp%2fa", "//mcp", "/mcp;x", "/health/", "/x"})
        CHECK(world.ask("POST", path, poster(), initialize_text()).status == 404);
    CHECK(world.ask("POST", "/mcp?x=y", poster(), initialize_text()).status == 200);
    CHECK(world.ask("POST", "http://127.0.0.1/mcp", poster(), initialize_text()).status == 400);
}

TEST_CASE("at most so many sessions, of which only old ones make room") {
    HttpWorld::Wish wish;
    wish.limits.sessions = 3;
    HttpWorld world(wish);
    for (int i = 0; i < 3; ++i) CHECK(world.ask("POST", "/mcp", poster(), initialize_text()).status == 200);
    auto const refused = world.ask("POST", "/mcp", poster(), initialize_text());
    CHECK(refused.status == 503);
    CHECK_FALSE(refused.field("retry-after").empty());
    wish.limits.session_old = std::chrono::milliseconds(0);
    HttpWorld other(wish);
    for (int i = 0; i < 5; ++i) CHECK(other.ask("POST", "/mcp", poster(), initialize_text()).status == 200);
    CHECK(other.sessions() == 3);
}

TEST_CASE("a session that nobody uses ends, one that is listened to does not") {
    HttpWorld::Wish wish;
    wish.limits.tick = std::chrono::milliseconds(10);
    wish.limits.session_idle = std::chrono::milliseconds(300);
    HttpWorld world(wish);
    HttpAgent const kept(world);
    auto const party = world.party();
    auto listener = kept.listening();
    CHECK(listener.hear().status == 200);
    HttpAgent const idle(world);
    CHECK(world.becomes([&] { return !world.last_party()->ended.empty(); }));
    CHECK(idle.post(call("1", "ping")).status == 404);
    CHECK(kept.post(call("1", "ping")).status == 200);
    listener.close();
    CHECK(world.becomes([&] { return !party->ended.empty(); }));
}

TEST_CASE("when the server stops, sessions end and streams are complete") {
    HttpWorld world;
    HttpAgent const client(world);
    auto listener = client.listening();
    CHECK(listener.hear().status == 200);
    world.stop("the host stops");
    CHECK_FALSE(listener.message());
    CHECK(listener.ended());
    CHECK(world.party()->ended == "the host stops");
    CHECK_THROWS(world.talk());
}
