#include "gateway/http_reader.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using pfar::gateway::HttpLimits;
using pfar::gateway::HttpReader;
using Stage = HttpReader::Stage;

namespace {

HttpLimits const limits;

/// As a connection would: `step` bytes at a time. What was not used is in `rest`.
Stage read(HttpReader& reader, std::string text, std::size_t step, std::string* rest = nullptr) {
    std::string in;
    while (reader.stage() == Stage::head || reader.stage() == Stage::body) {
        if (text.empty()) break;
        in += text.substr(0, step);
        text.erase(0, std::min(step, text.size()));
        for (std::size_t used = 1; used > 0 && !in.empty();) {
            used = reader.feed(in);
            in.erase(0, used);
        }
    }
    if (rest != nullptr) *rest = in + text;
    return reader.stage();
}

Stage stage_of(std::string const& text) {
    HttpReader reader(limits);
    return read(reader, text, text.size());
}

std::string post(std::string const& fields, std::string const& body) {
    return "POST /mcp HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n" + body;
}

} // namespace

TEST_CASE("a request is the same however it is cut") {
    auto const step = GENERATE(std::size_t(1), std::size_t(2), std::size_t(3), std::size_t(7), std::size_t(1000));
    HttpReader reader(limits);
    std::string rest;
    CHECK(read(reader, post("Content-Length: 5\r\nX-A:  b \r\n", "hello") + "NEXT", step, &rest) == Stage::whole);
    CHECK(rest == "NEXT");
    auto const request = reader.take();
    CHECK(request.method == "POST");
    CHECK(request.path == "/mcp");
    CHECK(request.body.view() == "hello");
    CHECK(request.field("x-a") == "b");
    CHECK(request.keeps);
}

TEST_CASE("a list that is cut into several fields is one list") {
    HttpReader reader(limits);
    CHECK(read(reader, post("Accept: application/json\r\nX: y\r\nACCEPT: text/event-stream\r\n", ""), 1000) ==
          Stage::whole);
    CHECK(reader.request().field("accept") == "application/json, text/event-stream");
}

TEST_CASE("a chunked body is put together, and its trailer is nobody's word") {
    auto const step = GENERATE(std::size_t(1), std::size_t(4), std::size_t(1000));
    HttpReader reader(limits);
    std::string rest;
    auto const text =
        post("Transfer-Encoding: chunked\r\n",
             "5;ext=1\r\nhello\r\n6\r\n world\r\n0\r\nAuthorization: Bearer stolen\r\nHost: evil\r\n\r\n");
    CHECK(read(reader, text + "N", step, &rest) == Stage::whole);
    CHECK(rest == "N");
    auto const request = reader.take();
    CHECK(request.body.view() == "hello world");
    CHECK(request.field("host") == "x");
    CHECK_FALSE(request.has("authorization"));
}

TEST_CASE("what two readers could understand in two ways is refused") {
    auto const fields = GENERATE(
        "Content-Length: 5\r\nContent-Length: 5\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5, 5\r\n", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked, gzip\r\n", "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding:\x0b"
        "chunked\r\n",
        "Transfer-Encoding : chunked\r\n", "Content-Length : 5\r\n", "Content-Length: +5\r\n",
        "Content-Length: 0x5\r\n", "Content-Length: -5\r\n", "Content-Length: 99999999999999999999999\r\n",
        "X-A: b\r\n folded\r\n", "X-A: b\r\n\tfolded\r\n", "Content-Length:\r\n 5\r\n", "Host: y\r\n", "X-A\r\n",
        ": x\r\n", "X A: b\r\n", "X-A: b\rX-B: c\r\n", "X-A: b\nX-B: c\r\n", "Authorization: a\r\nAuthorization: b\r\n",
        "Mcp-Session-Id: a\r\nMCP-SESSION-ID: b\r\n", "Origin: a\r\norigin: b\r\n", "Expect: something\r\n");
    CAPTURE(fields);
    CHECK(stage_of(post(fields, "5\r\nhello\r\n0\r\n\r\n")) == Stage::bad);
}

TEST_CASE("a zero byte in a field is refused") {
    CHECK(stage_of(post(std::string("X-A: b\0c\r\n", 10), "")) == Stage::bad);
}

TEST_CASE("request lines are held to the letter") {
    for (auto const* const line :
         {"GET  /mcp HTTP/1.1", "GET /mcp", "GET /mcp HTTP/2.0", "GET /mcp HTTP/1.2", "GET /mcp HTTP/0.9",
          "GET mcp HTTP/1.1", "GET http://x/mcp HTTP/1.1", "GET * HTTP/1.1", " GET /mcp HTTP/1.1", "G\tT /mcp HTTP/1.1",
          "GET /m cp HTTP/1.1", "PRI * HTTP/2.0", "CONNECT x:1 HTTP/1.1", "GET /mcp HTTP/1.1 x"})
        CHECK(stage_of(std::string(line) + "\r\nHost: x\r\n\r\n") == Stage::bad);
    CHECK(stage_of("GET /mcp HTTP/1.1\r\n\r\n") == Stage::bad); // no Host
    CHECK(stage_of("GET /mcp HTTP/1.0\r\nHost: x\r\n\r\n") == Stage::whole);
    CHECK(stage_of("POST /mcp HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n") == Stage::bad);
}

TEST_CASE("malformed chunks are refused") {
    for (auto const* const body :
         {"x\r\n", "5\r\nhelloX\r\n", "-1\r\n", "5 \r\nhello\r\n", "ffffffffffffffffff\r\n", "5\nhello\r\n"})
        CHECK(stage_of(post("Transfer-Encoding: chunked\r\n", std::string(body) + "0\r\n\r\n")) == Stage::bad);
}

TEST_CASE("a head has its bounds") {
    CHECK(stage_of(post("X-A: " + std::string(17000, 'a') + "\r\n", "")) == Stage::bad);
    CHECK(stage_of("GET /" + std::string(17000, 'a')) == Stage::bad); // without waiting for its end
    std::string lines;
    for (int i = 0; i < 98; ++i) lines += "X-" + std::to_string(i) + ": a\r\n";
    CHECK(stage_of("GET / HTTP/1.1\r\nHost: x\r\n" + lines + "\r\n") == Stage::whole);
    for (int i = 0; i < 10; ++i) lines += "Y-" + std::to_string(i) + ": a\r\n";
    CHECK(stage_of("GET / HTTP/1.1\r\nHost: x\r\n" + lines + "\r\n") == Stage::bad);
}

TEST_CASE("a body has its bound, announced or not") {
    HttpReader announced(limits);
    auto const head = post("Content-Length: 1000\r\n", "");
    announced.feed(head);
    announced.limit_body(999);
    CHECK(announced.stage() == Stage::bad);
    CHECK(announced.refusal().status == 413);

    HttpReader chunked(limits);
    chunked.feed(post("Transfer-Encoding: chunked\r\n", ""));
    chunked.limit_body(10);
    CHECK(read(chunked, "8\r\n12345678\r\n8\r\n12345678\r\n0\r\n\r\n", 3) == Stage::bad);
    CHECK(chunked.refusal().status == 413);
}

TEST_CASE("the line of a chunk and the trailer have their bounds") {
    HttpReader reader(limits);
    CHECK(read(reader, post("Transfer-Encoding: chunked\r\n", "5;" + std::string(40000, 'a')), 1000) == Stage::bad);
    HttpReader trailer(limits);
    CHECK(read(trailer, post("Transfer-Encoding: chunked\r\n", "0\r\nX: " + std::string(40000, 'a')), 1000) ==
          Stage::bad);
}

TEST_CASE("an announced length allocates nothing") {
    HttpReader reader(limits);
    reader.feed(post("Content-Length: 16000000\r\n", ""));
    CHECK(reader.stage() == Stage::body);
    reader.feed("abc");
    CHECK(reader.arrived() == 3);
    CHECK(reader.take().body.room() < 1000);
}

TEST_CASE("a body is the same whatever its size and however it arrives") {
    auto const step = GENERATE(std::size_t(1000), std::size_t(65536), std::size_t(1000000));
    pfar::gateway::HttpBody body;
    std::string all;
    for (int i = 0; all.size() < 5000000; ++i) {
        std::string const part(step, static_cast<char>('a' + i % 26));
        CHECK(body.append(part));
        all += part;
    }
    CHECK(body.view() == all);
    auto moved = std::move(body);
    CHECK(moved.view() == all);
    body = std::move(moved);
    CHECK(body.view() == all);
}
