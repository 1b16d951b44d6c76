// pfar-http without a sandbox: what it makes of every kind of response, and that nothing keeps it from ending.
#include "fetch/http_peer.hpp"
#include "fetch/http_process.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>

using test::HttpProcess;

namespace {

test::Certificates const& certificates() {
    static auto const made = test::make_certificates({"localhost", "127.0.0.1"});
    return made;
}

using Variables = std::map<std::string, std::string>;

struct Talking {
    explicit Talking(Variables const& more = {}) : peer(certificates(), 0), process(environment(more)) {}
    [[nodiscard]] std::map<std::string, std::string> environment(std::map<std::string, std::string> more) const {
        more.insert({{"PFAR_HTTP_BASE", "https://localhost:" + std::to_string(peer.port())},
                     {"PFAR_HTTP_TOKEN", "t0p-s3cret-token"},
                     {"SSL_CERT_FILE", directory.write("ca.pem", certificates().authority).native()}});
        return more;
    }
    test::TempDir directory;
    test::HttpPeer peer;
    HttpProcess process;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool is_bad(boost::json::object const& result) {
    return result.at("isError").as_bool();
}

} // namespace

TEST_CASE("text and JSON come back as they are, with a short head") {
    Talking it;
    auto const json = it.process.result("fetch", R"({"path": "/json", "query": {"a": "b c"}})");
    CHECK_FALSE(is_bad(json));
    CHECK(test::has(HttpProcess::texts(json), "HTTP/1.1 200 Said\ncontent-type: application/json"));
    CHECK(test::has(HttpProcess::texts(json), "12345678901234567890.5"));
    CHECK_FALSE(test::has(HttpProcess::texts(json), "set-cookie"));
    auto const& structured = json.at("structuredContent").as_object();
    CHECK(structured.at("status") == 200);
    CHECK(structured.at("json").at("a").at(0) == 1);
    CHECK(structured.at("headers").at("content-type") == "application/json; charset=utf-8");
    auto const asked = it.peer.asked();
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].path == "/json?a=b%20c");
    CHECK(asked[0].fields.at("authorization") == "Bearer t0p-s3cret-token");
    CHECK(asked[0].fields.at("host") == "localhost:" + std::to_string(it.peer.port()));

    auto const deep = it.process.result("fetch", R"({"path": "/deep"})");
    CHECK_FALSE(deep.contains("structuredContent"));
    CHECK_FALSE(is_bad(deep));
    CHECK_FALSE(it.process.result("fetch", R"({"path": "/broken-json"})").contains("structuredContent"));
    auto const head = it.process.result("fetch", R"({"path": "/json", "method": "HEAD"})");
    CHECK(head.at("content").as_array().size() == 1);
    CHECK(it.process.result("fetch", R"({"path": "/nothing"})").at("content").as_array().size() == 1);
    CHECK_FALSE(test::has(HttpProcess::texts(it.process.result("fetch", R"({"path": "/injected"})")), "\x1b"));
}

TEST_CASE("a write says its method, its type and its body") {
    Talking it;
    auto const echoed = [&](std::string const& arguments) {
        return HttpProcess::texts(it.process.result("request", arguments));
    };
    CHECK(test::has(echoed(R"({"method": "POST", "path": "/echo", "body": {"a": [1]}})"),
                    R"(POST Bearer t0p-s3cret-token application/json {"a": [1]})"));
    CHECK(test::has(echoed(R"({"method": "PUT", "path": "/echo", "body": "text"})"),
                    "PUT Bearer t0p-s3cret-token text/plain; charset=utf-8 text"));
    CHECK(test::has(
        echoed(R"({"method": "PATCH", "path": "/echo", "body": "<a/>", "headers": {"content-type": "text/xml"}})"),
        " text/xml <a/>"));
    CHECK(test::has(echoed(R"({"method": "DELETE", "path": "/echo"})"), "DELETE Bearer t0p-s3cret-token (none) "));
    CHECK(test::has(echoed(R"({"method": "POST", "path": "/echo"})"), "POST Bearer t0p-s3cret-token (none) "));
    CHECK(it.peer.asked().back().fields.at("content-length") == "0");
}

TEST_CASE("what is too large, binary or in another encoding is not shown as text") {
    Talking it(Variables{{"PFAR_HTTP_MAX", "500000"}});
    auto const big = it.process.result("fetch", R"({"path": "/big"})");
    CHECK_FALSE(is_bad(big));
    CHECK(big.at("content").at(1).at("text").as_string().size() == 500000);
    CHECK(test::has(HttpProcess::texts(big).substr(500000), "its first 500000 bytes"));
    auto const image = it.process.result("fetch", R"({"path": "/image"})");
    CHECK(image.at("content").at(1).at("type") == "image");
    CHECK(image.at("content").at(1).at("data") == "iVBORw0KGgoA/w==");
    auto const binary = it.process.result("fetch", R"({"path": "/binary"})");
    CHECK(binary.at("content").at(1).at("resource").at("blob") == "UEsDBP8A");
    CHECK(test::has(HttpProcess::texts(it.process.result("fetch", R"({"path": "/big-binary"})")),
                    "binary: 307200 bytes of application/zip"));
    auto const latin = HttpProcess::texts(it.process.result("fetch", R"({"path": "/latin"})"));
    CHECK(test::has(latin, "iso-8859-1 in another encoding than UTF-8"));
}

TEST_CASE("a body is never cut within a character") {
    Talking it(Variables{{"PFAR_HTTP_MAX", "1000"}});
    auto const cut = it.process.result("fetch", R"({"path": "/umlauts"})");
    CHECK(cut.at("content").at(1).at("text").as_string().size() == 999);
}

TEST_CASE("a status from 400 on is an error with the beginning of the body") {
    Talking it;
    auto const missing = it.process.result("fetch", R"({"path": "/missing"})");
    CHECK(is_bad(missing));
    CHECK(test::has(HttpProcess::texts(missing), "HTTP/1.1 404"));
    CHECK(test::has(HttpProcess::texts(missing), "there is no /missing"));
}

TEST_CASE("redirects are followed on the same host, five at most, and the token stays at home") {
    Talking it;
    CHECK(test::has(HttpProcess::texts(it.process.result("fetch", R"({"path": "/found"})")), "12345678901234567890.5"));
    CHECK(test::has(
        HttpProcess::texts(it.process.result("request", R"({"method": "POST", "path": "/kept", "body": "b"})")),
        "POST Bearer t0p-s3cret-token text/plain; charset=utf-8 b"));
    it.peer.asked();
    for (auto const* const path : {"/other", "/plain", "/file"}) {
        CAPTURE(path);
        auto const refused = it.process.result("fetch", std::string(R"({"path": ")") + path + "\"}");
        CHECK(is_bad(refused));
        CHECK(test::has(HttpProcess::texts(refused), "The redirect was not followed"));
        CHECK(it.peer.asked().size() == 1);
    }
    CHECK(is_bad(it.process.result("fetch", R"({"path": "/loop"})")));
    CHECK(it.peer.asked().size() == 6);
}

TEST_CASE("another port of the host gets no token") {
    Talking first;
    auto const port = std::to_string(first.peer.port());
    test::HttpPeer second(certificates(), 0);
    auto const text = HttpProcess::texts(
        first.process.result("fetch", R"({"url": "https://localhost:)" + std::to_string(second.port()) + "/echo\"}"));
    CHECK(test::has(text, "GET (none)"));
    CHECK(test::has(
        HttpProcess::texts(first.process.result("fetch", R"({"url": "https://localhost:)" + port + "/echo\"}")),
        "GET Bearer t0p-s3cret-token"));
    CHECK(test::has(HttpProcess::texts(first.process.result("fetch", R"({"path": "/to-port?)" +
                                                                         std::to_string(second.port()) + "\"}")),
                    "GET (none)"));
    first.peer.asked();
    CHECK(is_bad(first.process.result("fetch", R"({"url": "https://127.0.0.1:)" + port + "/echo\"}")));
    CHECK(first.peer.asked().empty());
}

TEST_CASE("the header and scheme of the token are the owner's to choose") {
    Talking it(Variables{{"PFAR_HTTP_AUTH_HEADER", "X-Api-Key"}, {"PFAR_HTTP_AUTH_SCHEME", ""}});
    static_cast<void>(it.process.result("fetch", R"({"path": "/json"})"));
    auto const asked = it.peer.asked();
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].fields.at("x-api-key") == "t0p-s3cret-token");
    CHECK_FALSE(asked[0].fields.contains("authorization"));
}

TEST_CASE("a peer that nobody vouches for is not spoken to") {
    auto const others = test::make_certificates({"localhost"});
    test::TempDir const directory;
    test::HttpPeer peer(certificates(), 0);
    HttpProcess process({{"PFAR_HTTP_BASE", "https://localhost:" + std::to_string(peer.port())},
                         {"PFAR_HTTP_TOKEN", "t0p-s3cret-token"},
                         {"SSL_CERT_FILE", directory.write("ca.pem", others.authority).native()},
                         {"SSL_CERT_DIR", "/nonexistent"}});
    auto const refused = process.result("fetch", R"({"path": "/json"})");
    CHECK(is_bad(refused));
    CHECK(test::has(HttpProcess::texts(refused), "localhost could not be asked"));
    CHECK(peer.asked().empty());
}

TEST_CASE("a slow peer does not outlive the timeout and keeps nobody else waiting") {
    Talking it(Variables{{"PFAR_HTTP_TIMEOUT", "2"}});
    auto const begin = std::chrono::steady_clock::now();
    it.process.call(1, "fetch", R"({"path": "/slow"})");
    it.process.call(2, "fetch", R"({"path": "/drip"})");
    it.process.call(3, "fetch", R"({"path": "/json"})");
    it.process.send(R"({"jsonrpc":"2.0","id":4,"method":"ping"})");
    std::map<std::int64_t, boost::json::value> answers;
    for (int i = 0; i < 4; ++i) {
        auto const answer = it.process.next();
        REQUIRE(answer.is_object());
        answers[answer.at("id").as_int64()] = answer;
        if (answer.at("id") == 3) CHECK(seconds_since(begin) < 1.9);
    }
    CHECK(seconds_since(begin) >= 1.9);
    CHECK(seconds_since(begin) < 8);
    for (int const id : {1, 2}) {
        CHECK(is_bad(answers[id].at("result").as_object()));
        CHECK(test::has(HttpProcess::texts(answers[id].at("result").as_object()), "within 2 s"));
    }
}

TEST_CASE("a cancelled call is never answered, and the end of the input is the end") {
    Talking it;
    auto const begin = std::chrono::steady_clock::now();
    it.process.call(1, "fetch", R"({"path": "/slow"})");
    while (it.peer.asked().empty() && seconds_since(begin) < 10) std::this_thread::yield();
    it.process.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
    it.process.send(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
    CHECK(it.process.next().at("id") == 2);
    it.process.call(3, "fetch", R"({"path": "/slow"})");
    while (it.peer.asked().empty() && seconds_since(begin) < 10) std::this_thread::yield();
    it.process.close_input();
    CHECK(it.process.end() == 0);
    CHECK(it.process.next().is_null());
    CHECK(seconds_since(begin) < 10);
}

TEST_CASE("lines that are no messages are told and forgotten") {
    Talking it;
    for (auto const* const line : {"garbage", "{\"jsonrpc\":\"2.0\",\"id\":", "\"text\"",
                                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\\ud800\"}"}) {
        it.process.send(line);
        CHECK(it.process.next().at("error").at("code").as_int64() < 0);
    }
    it.process.send(std::string(5U << 20U, 'x'));
    CHECK(it.process.next().at("error").at("message") == "the line is longer than 4 MiB");
    it.process.send("");
    it.process.send(R"({"jsonrpc":"2.0","id":"a","method":"resources/list"})");
    CHECK(it.process.next().at("error").at("code") == -32601);
    it.process.send(R"({"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"nothing"}})");
    CHECK(it.process.next().at("error").at("code") == -32602);
    it.process.send(R"({"jsonrpc":"2.0","id":"c","method":"initialize","params":{"protocolVersion":"2024-11-05"}})");
    CHECK(it.process.next().at("result").at("protocolVersion") == "2024-11-05");
    it.process.send(R"({"jsonrpc":"2.0","id":"d","method":"initialize","params":{"protocolVersion":"1999-01-01"}})");
    CHECK(it.process.next().at("result").at("protocolVersion") == "2025-11-25");
    it.process.send(R"({"jsonrpc":"2.0","id":"e","method":"tools/list"})");
    auto const tools = it.process.next();
    CHECK(tools.at("result").at("tools").at(0).at("annotations").at("readOnlyHint") == true);
    CHECK(tools.at("result").at("tools").at(1).at("annotations").at("readOnlyHint") == false);
    CHECK(is_bad(it.process.result("fetch", R"({"path": "/", "headers": {"Host": "evil.test"}})")));
}

TEST_CASE("a variable that makes no sense ends it with a sentence") {
    auto const outcome = test::run({{"/usr/bin/env", "-i", "PFAR_HTTP_TOKEN=t0p-s3cret-token", PFAR_HTTP}, {}, {}, {}});
    CHECK(outcome.status == 78);
    CHECK(test::has(outcome.err, "PFAR_HTTP_BASE"));
    CHECK_FALSE(test::has(outcome.err, "t0p-s3cret-token"));
}
