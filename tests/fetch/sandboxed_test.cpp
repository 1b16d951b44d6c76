// pfar-http as an owner sets it up: by `pfar add`, in a real sandbox, with a token from the vault, in a network of the test's own.
#include "egress/world.hpp"
#include "fetch/http_peer.hpp"
#include "servers/host_stage.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using namespace test;

namespace {

constexpr char token[] = "t0p-s3cret-token-of-good";
constexpr unsigned short port = 9443;

Certificates const& certificates() {
    static auto const made = make_certificates({"good.example", "evil.test", "other.example"});
    return made;
}

class FetchStage : public HostStage {
public:
    explicit FetchStage(Setting setting) : HostStage(std::move(setting)), peer(certificates(), port) {
        authority_ = write("given/ca.pem", certificates().authority).native();
        REQUIRE(add("api", "https://good.example:9443", {"--secret", "PFAR_HTTP_TOKEN=api_token"},
                    std::string(token) + "\n")
                    .status == 0);
        REQUIRE(begin());
        REQUIRE(reaches("api", "running"));
    }
    [[nodiscard]] Outcome add(std::string const& name, std::string const& base, std::vector<std::string> more,
                              std::string input = "") const {
        std::vector<std::string> all{"add",      name,
                                     "--domain", "good.example:9443",
                                     "--domain", "other.example:9443",
                                     "--read",   (path() / "given").native(),
                                     "--env",    "PFAR_HTTP_BASE=" + base,
                                     "--env",    "SSL_CERT_FILE=" + authority_,
                                     "--env",    "PFAR_HTTP_TIMEOUT=3"};
        all.insert(all.end(), more.begin(), more.end());
        all.insert(all.end(), {"--", PFAR_BUILD "/libexec/pfar/pfar-http"});
        auto outcome = run({words(all), {}, "/", std::move(input), setting().uid});
        INFO(outcome.out << outcome.err);
        CHECK(outcome.status == 0);
        return outcome;
    }
    [[nodiscard]] Outcome call(std::string const& tool, std::string const& arguments) const {
        return run({words({"call", tool, "--args", "-"}), {}, "/", arguments, setting().uid});
    }
    HttpPeer peer;

private:
    std::string authority_;
};

} // namespace

TEST_CASE("an agent reads and writes by HTTP from within a sandbox, and sees no token") {
    World::here();
    FetchStage stage(GENERATE(from_range(settings())));
    CAPTURE(stage.setting());
    auto const read = stage.call("api.fetch", R"({"path": "/json"})");
    CHECK(read.status == 0);
    CHECK(has(read.out, "12345678901234567890.5"));
    auto const asked = stage.peer.asked();
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].fields.at("authorization") == std::string("Bearer ") + token);

    auto const written = stage.call("api.request", R"({"method": "POST", "path": "/echo", "body": {"a": 1}})");
    CHECK(written.status == 0);
    CHECK(has(written.out, R"(application/json {"a":1})"));
    CHECK_FALSE(has(written.out + written.err, token)); // the peer has said it
    CHECK(stage.peer.asked().at(0).fields.at("authorization") == std::string("Bearer ") + token);

    auto const missing = stage.call("api.fetch", R"({"path": "/missing"})");
    CHECK(missing.status == 1);
    CHECK(has(missing.out + missing.err, "404"));
    CHECK(has(stage.call("api.fetch", R"({"path": "/big"})").out, "its first 1048576 bytes"));
    auto const slow = stage.call("api.fetch", R"({"path": "/slow"})");
    CHECK(slow.status == 1);
    CHECK(has(slow.out + slow.err, "within 3 s"));
    CHECK(has(stage.call("api.fetch", R"({"path": "/binary"})").out, "application/zip"));
    for (auto const& file : paths_below(stage.path()))
        if (std::error_code gone; std::filesystem::is_regular_file(file, gone))
            CHECK_FALSE(has(test::read(file), token));
}

TEST_CASE("the filter refuses what the program would ask for, and a redirect takes no token along") {
    World::here();
    FetchStage stage(GENERATE(from_range(some_settings())));
    CAPTURE(stage.setting());
    static_cast<void>(stage.add("evil", "https://evil.test:9443", {}));
    REQUIRE(stage.reaches("evil", "running"));
    auto const outside = run({{"/usr/bin/env", "curl", "-sS", "--cacert", (stage.path() / "given/ca.pem").native(),
                               "https://evil.test:9443/json"},
                              {},
                              "/",
                              {}});
    CHECK(has(outside.out, "12345678901234567890.5")); // it can be reached
    CHECK(stage.peer.asked().size() == 1);
    auto const refused = stage.call("evil.fetch", R"({"path": "/json"})");
    CHECK(refused.status == 1);
    CHECK(has(refused.out + refused.err, "pfar's filter refused the connection to evil.test:9443"));
    CHECK(stage.peer.asked().empty());

    auto const other =
        stage.call("api.fetch", R"({"url": "https://other.example:9443/json"})"); // allowed, but not the base
    CHECK(other.status == 1);
    CHECK(has(other.out + other.err, "other.example is another host"));
    CHECK(stage.peer.asked().empty());
    auto const redirected = stage.call("api.fetch", R"({"path": "/other"})");
    CHECK(redirected.status == 1);
    CHECK(has(redirected.out + redirected.err, "The redirect was not followed"));
    CHECK(stage.peer.asked().size() == 1);
    auto const plain = stage.call("api.fetch", R"({"url": "http://good.example:9443/json"})");
    CHECK(plain.status == 1);
    CHECK(stage.peer.asked().empty());
}

TEST_CASE("a service without TLS is reached through the filter too") {
    World::here();
    FetchStage stage(GENERATE(from_range(some_settings())));
    CAPTURE(stage.setting());
    World::here().seen();
    static_cast<void>(stage.add("plain", "http://good.example", {"--domain", "good.example"}));
    REQUIRE(stage.reaches("plain", "running"));
    CHECK(has(stage.call("plain.fetch", R"({"path": "/"})").out, "peer=good"));
    CHECK(World::here().seen().evil().empty());
}
