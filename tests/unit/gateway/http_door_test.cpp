#include "support/process.hpp"
#include "support/temp_dir.hpp"
#include "unit/gateway/http_world.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <sys/socket.h>

using test::agent;
using test::call;
using test::has;
using test::HttpAgent;
using test::HttpWorld;
using test::initialize_text;
using test::poster;
using namespace pfar;

namespace {

Result<std::shared_ptr<gateway::HttpServer>> opened(gateway::HttpSettings settings) {
    boost::asio::io_context context;
    std::vector<std::shared_ptr<test::FakeParty>> parties;
    auto out = gateway::HttpServer::open(context.get_executor(), std::move(settings), test::fake_rooms(parties));
    if (!out) return out;
    (*out)->close("it was only tried");
    out->reset();
    context.run();
    return out;
}

gateway::HttpSettings settings_of(std::string const& host) {
    gateway::HttpSettings out;
    out.host = host;
    out.agents_token = Secret(test::agents_token);
    out.owners_token = Secret(test::owners_token);
    return out;
}

} // namespace

TEST_CASE("agents are let in by their token and by nothing else") {
    HttpWorld world;
    auto const token =
        GENERATE("", "Bearer ", "Bearer wrong", "Bearer owners-token-0123456789", "agents-token-0123456789",
                 "Basic agents-token-0123456789", "Bearer agents-token-012345678", "Bearer agents-token-0123456789x");
    CAPTURE(token);
    auto const answer = world.ask("POST", "/mcp", poster({{"Authorization", token}}), initialize_text());
    CHECK(answer.status == 401);
    CHECK(answer.field("www-authenticate") == "Bearer");
    CHECK(world.sessions() == 0);
}

TEST_CASE("the scheme's case does not matter") {
    HttpWorld world;
    CHECK(world
              .ask("POST", "/mcp", poster({{"Authorization", std::string("bearer ") + test::agents_token}}),
                   initialize_text())
              .status == 200);
}

TEST_CASE("a session id alone opens nothing") {
    HttpWorld world;
    HttpAgent const client(world);
    CHECK(client.post(call("1", "ping"), {{"Authorization", "Bearer wrong"}}).status == 401);
}

TEST_CASE("a body is not read before its head was judged") {
    HttpWorld world;
    auto talk = world.talk();
    talk.say("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16000000\r\n\r\n");
    CHECK(talk.hear().status == 401);
    CHECK(talk.ended());
}

TEST_CASE("a client that asks first is told to go on, or why not") {
    HttpWorld world;
    HttpAgent const client(world);
    auto text =
        test::request_text("POST", "/mcp", poster(client.fields({{"Expect", "100-continue"}})), call("1", "ping"));
    auto const end = text.find("\r\n\r\n") + 4;
    auto talk = world.talk();
    talk.say(text.substr(0, end));
    std::string said(25, '\0');
    REQUIRE(::recv(talk.descriptor(), said.data(), said.size(), MSG_WAITALL) == 25);
    CHECK(said == "HTTP/1.1 100 Continue\r\n\r\n");
    talk.say(text.substr(end));
    CHECK(talk.hear().status == 200);
    auto other = world.talk();
    other.say("POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    CHECK(other.hear().status == 401);
}

TEST_CASE("health is for everybody, metrics for who has a token") {
    HttpWorld world;
    world.on_thread([&] { world.servers = R"([{"name":"a","state":"running"},{"name":"b","state":"failed"}])"; });
    auto const health = world.ask("GET", "/health", {});
    CHECK(health.status == 200);
    CHECK(health.body == R"({"status":"healthy","service":"pfar","servers":2,"running":1})");
    CHECK(world.ask("POST", "/health", {}).status == 405);
    CHECK(world.ask("GET", "/metrics", {}).status == 401);
    for (auto const* const token : {test::agents_token, test::owners_token}) {
        auto const metrics = world.ask("GET", "/metrics", {{"Authorization", std::string("Bearer ") + token}});
        CHECK(metrics.status == 200);
        CHECK(has(metrics.body, "pfar_http_sessions 0\n"));
        CHECK(has(metrics.body, "pfar_http_connections 1\n"));
        CHECK(has(metrics.body, "pfar_http_requests_total{code=\"401\"} 1\n"));
        CHECK(has(metrics.body, "pfar_other 1\n"));
    }
}

TEST_CASE("a Host that is not ours is refused: DNS rebinding") {
    HttpWorld::Wish wish;
    wish.hosts = {"pfar.example"};
    HttpWorld world(wish);
    for (auto const* const host : {"localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]", "[::1]:99", "127.1",
                                   "pfar.example", "Pfar.Example.:8080"}) {
        CAPTURE(host);
        CHECK(world.ask("GET", "/health", {{"Host", host}}).status == 200);
    }
    for (auto const* const host :
         {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "0.0.0.0", "192.168.1.1", "",
          "localhost:x", "evil@localhost", "pfar.example.evil", "[::ffff:10.0.0.1]", "::1"}) {
        CAPTURE(host);
        CHECK(world.ask("GET", "/health", {{"Host", host}}).status == 403);
    }
}

TEST_CASE("an Origin has to be of this machine, or welcome") {
    HttpWorld::Wish wish;
    wish.origins = {"https://App.example"};
    HttpWorld world(wish);
    for (auto const* const origin :
         {"http://localhost", "http://localhost:3000", "http://127.0.0.1:1", "http://[::1]:5", "https://app.example"}) {
        CAPTURE(origin);
        CHECK(world.ask("POST", "/mcp", poster({{"Origin", origin}}), initialize_text()).status == 200);
    }
    for (auto const* const origin :
         {"null", "", "https://evil.example", "http://app.example", "https://app.example:444",
          "https://app.example.evil", "http://localhost.evil.example", "http://127.0.0.1.evil.example", "file://",
          "localhost", "http://192.168.0.1"}) {
        CAPTURE(origin);
        CHECK(world.ask("POST", "/mcp", poster({{"Origin", origin}}), initialize_text()).status == 403);
        CHECK(world.ask("GET", "/health", {{"Origin", origin}}).status == 403);
    }
}

TEST_CASE("pages of a welcome origin may read what is replied, others may not") {
    HttpWorld::Wish wish;
    wish.origins = {"https://app.example"};
    HttpWorld world(wish);
    auto const asked =
        world.ask("OPTIONS", "/mcp", {{"Origin", "https://app.example"}, {"Access-Control-Request-Method", "POST"}});
    CHECK(asked.status == 204);
    CHECK(asked.field("access-control-allow-origin") == "https://app.example");
    CHECK(has(asked.field("access-control-allow-headers"), "Mcp-Session-Id"));
    CHECK(has(asked.field("access-control-allow-methods"), "DELETE"));
    auto const answer = world.ask("POST", "/mcp", poster({{"Origin", "https://app.example"}}), initialize_text());
    CHECK(answer.field("access-control-allow-origin") == "https://app.example");
    CHECK(has(answer.field("access-control-expose-headers"), "Mcp-Session-Id"));
    CHECK(world.ask("POST", "/mcp", {{"Origin", "https://app.example"}}).field("access-control-allow-origin") ==
          "https://app.example");
    auto const local = world.ask("OPTIONS", "/mcp", agent({{"Origin", "http://localhost:3000"}}));
    CHECK(local.status == 405);
    CHECK(local.field("access-control-allow-origin").empty());
    CHECK(world.ask("OPTIONS", "/", {{"Origin", "https://app.example"}}).field("access-control-allow-origin").empty());
}

TEST_CASE("without a token on loopback everybody is an agent, but nobody the owner") {
    HttpWorld::Wish wish;
    wish.auth = false;
    HttpWorld world(wish);
    CHECK(world.ask("POST", "/mcp", poster({{"Authorization", "Bearer wrong"}}), initialize_text()).status == 200);
    CHECK(has(world.ask("GET", "/", {}).body, "Owner's token"));
}

TEST_CASE("what must not be served is refused with the remedy") {
    test::TempDir const dir;
    auto const refusal = [](gateway::HttpSettings settings) {
        auto const out = opened(std::move(settings));
        return out ? std::string("it was opened") : out.error().what;
    };
    auto open_to_all = settings_of("0.0.0.0");
    CHECK(has(refusal(std::move(open_to_all)), "TLS"));
    auto no_auth = settings_of("192.0.2.1");
    no_auth.auth = false;
    CHECK(has(refusal(std::move(no_auth)), "--no-auth"));
    auto six = settings_of("::");
    CHECK(has(refusal(std::move(six)), "TLS"));
    auto name = settings_of("example.com");
    CHECK(has(refusal(std::move(name)), "no address"));
    auto unreadable = settings_of("127.0.0.1");
    unreadable.certificate = dir / "absent.pem";
    unreadable.key = dir / "absent.key";
    CHECK(has(refusal(std::move(unreadable)), "absent.pem"));
    auto half = settings_of("127.0.0.1");
    half.certificate = dir / "absent.pem";
    CHECK(has(refusal(std::move(half)), "key"));
    auto no_token = settings_of("127.0.0.1");
    no_token.agents_token = {};
    CHECK(has(refusal(std::move(no_token)), "token"));
    auto same = settings_of("127.0.0.1");
    same.owners_token = Secret(test::agents_token);
    CHECK(has(refusal(std::move(same)), "approve their own calls"));
}

TEST_CASE("loopback is served under each of its names") {
    for (auto const* const host : {"127.0.0.1", "localhost", "127.0.0.2", "::1", "[::1]"}) {
        CAPTURE(host);
        auto const out = opened(settings_of(host));
        INFO((out ? "" : out.error().what));
        CHECK(out.has_value());
    }
}

TEST_CASE("a port that is taken is a conflict") {
    HttpWorld const world;
    auto settings = settings_of("127.0.0.1");
    settings.port = world.port();
    auto const out = opened(std::move(settings));
    REQUIRE_FALSE(out.has_value());
    CHECK(out.error().code == Errc::conflict);
}
