#include "egress/certificates.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"
#include "unit/gateway/http_world.hpp"

#include <catch2/catch_test_macros.hpp>

#include <openssl/ssl.h>

using test::call;
using test::has;
using test::HttpTalk;
using test::HttpWorld;
using test::poster;

namespace {

struct Papers {
    test::TempDir dir{};
    test::Certificates made = test::make_certificates({"localhost", "127.0.0.1"});

    [[nodiscard]] HttpWorld::Wish wish() const {
        HttpWorld::Wish out;
        out.certificate = dir.write("cert.pem", made.certificate);
        out.key = dir.write("key.pem", made.key);
        return out;
    }
};

} // namespace

TEST_CASE("everything works over TLS, large answers too") {
    Papers const papers;
    HttpWorld world(papers.wish());
    HttpTalk talk(world.port(), papers.made.authority);
    talk.say(test::request_text("POST", "/mcp", poster(), test::initialize_text()));
    auto const id = talk.hear().field("mcp-session-id");
    REQUIRE_FALSE(id.empty());
    for (auto const* const size : {"10", "100000", "8000000"}) {
        talk.say(test::request_text("POST", "/mcp", poster({{"Mcp-Session-Id", id}}),
                                    call("1", "big", std::string(R"({"bytes":)") + size + "}")));
        CHECK(talk.hear().body.size() > std::stoul(size));
    }
    std::string const padding(3000000, ' '); // and large questions
    talk.say(test::request_text("POST", "/mcp", poster({{"Mcp-Session-Id", id}}), padding + call("2", "ping")));
    CHECK(has(talk.hear().body, "answered"));
    talk.say(test::request_text("POST", "/mcp", poster({{"Mcp-Session-Id", id}}), call("3", "noisy")));
    CHECK(talk.hear().field("content-type") == "text/event-stream");
    CHECK(has(talk.message()->data, "progress"));
    CHECK(has(talk.message()->data, "answered"));
}

TEST_CASE("several requests in one TLS record are all served") {
    Papers const papers;
    HttpWorld world(papers.wish());
    HttpTalk talk(world.port(), papers.made.authority);
    std::string all;
    for (int i = 0; i < 20; ++i) all += test::request_text("GET", "/health", {});
    talk.say(all);
    for (int i = 0; i < 20; ++i) CHECK(talk.hear().status == 200);
}

TEST_CASE("over TLS the owner's cookie is for TLS only") {
    Papers const papers;
    HttpWorld world(papers.wish());
    HttpTalk talk(world.port(), papers.made.authority);
    talk.say(test::request_text("POST", "/login", {{"Content-Type", "application/x-www-form-urlencoded"}},
                                std::string("token=") + test::owners_token));
    auto const answer = talk.hear();
    CHECK(answer.status == 303);
    CHECK(has(answer.field("set-cookie"), "; Secure"));
    CHECK(has(answer.field("set-cookie"), "__Host-pfar="));
}

TEST_CASE("who does not speak TLS, or an old one, gets nothing") {
    Papers const papers;
    HttpWorld world(papers.wish());
    auto plain = world.talk();
    plain.say(test::request_text("GET", "/health", {}));
    CHECK(plain.hear().status == 0);

    auto* const context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
    auto old = world.talk();
    auto* const session = SSL_new(context);
    SSL_set_fd(session, old.descriptor());
    CHECK(SSL_connect(session) != 1);
    SSL_free(session);
    SSL_CTX_free(context);
}

TEST_CASE("a handshake that never ends has its time") {
    Papers const papers;
    auto wish = papers.wish();
    wish.limits.tick = wish.limits.head_time = std::chrono::milliseconds(20);
    HttpWorld world(wish);
    auto talk = world.talk();
    talk.say("\x16\x03\x01");
    CHECK(talk.ended());
}

TEST_CASE("a key of another certificate, and one with a passphrase, are told apart from a missing one") {
    Papers const papers;
    auto const other = test::make_certificates({"localhost"});
    boost::asio::io_context context;
    std::vector<std::shared_ptr<test::FakeParty>> parties;
    auto const refusal = [&](std::string const& key) {
        pfar::gateway::HttpSettings settings;
        settings.agents_token = pfar::Secret(test::agents_token);
        settings.certificate = papers.dir.write("cert.pem", papers.made.certificate);
        settings.key = papers.dir.write("other.pem", key);
        auto const out =
            pfar::gateway::HttpServer::open(context.get_executor(), std::move(settings), test::fake_rooms(parties));
        return out ? std::string("it was opened") : out.error().what;
    };
    CHECK(has(refusal(other.key), "key values mismatch"));
    CHECK(has(refusal("nonsense"), "other.pem"));
    CHECK(has(refusal("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n"),
              "without a passphrase"));
}
