// Requests in tables: where the body ends, what the origin gets, and what becomes of the connection.
#include "http_requests.hpp"

namespace pfar::proxy_connect {

namespace {

using Kind = Body::Kind;

} // namespace

TEST_CASE("a body has one end that everybody agrees on") {
    struct Row {
        std::string lines;
        Kind kind;
        std::uint64_t length;
    };
    for (auto const& row : {
             Row{"", Kind::none, 0},
             Row{"Content-Length: 0\r\n", Kind::length, 0},
             Row{"content-length:\t42 \r\n", Kind::length, 42},
             Row{"Content-Length: 9999999999999999999\r\n", Kind::length, 9999999999999999999U},
             Row{"Transfer-Encoding: chunked\r\n", Kind::chunked, 0},
             Row{"Transfer-Encoding: chunked\r\nTrailer: X\r\n", Kind::chunked, 0},
         }) {
        INFO(row.lines);
        auto const parsed = parse_request(post(row.lines));
        REQUIRE(parsed);
        CHECK(parsed->body.kind == row.kind);
        CHECK(parsed->body.length == row.length);
    }
    refuses({
        post("Content-Length:\r\n"),
        post("Content-Length: -1\r\n"),
        post("Content-Length: +1\r\n"),
        post("Content-Length: 1 2\r\n"),
        post("Content-Length: 0x5\r\n"),
        post("Content-Length: 5,5\r\n"),
        post("Content-Length: 5, 5\r\n"),
        post("Content-Length: 18446744073709551616\r\n"),
        post("Content-Length: 00000000000000000005\r\n"),
        post("Content-Length: 5\r\nContent-Length: 5\r\n"),
        post("Content-Length: 5\r\ncontent-length: 6\r\n"),
        post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
        post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
        post("Transfer-Encoding:\r\n"),
        post("Transfer-Encoding: identity\r\n"),
        post("Transfer-Encoding: gzip, chunked\r\n"),
        post("Transfer-Encoding: chunked, chunked\r\n"),
        post("Transfer-Encoding: xchunked\r\n"),
        post("Transfer-Encoding: Chunked\r\n"),
        post("Transfer-Encoding: chunked;q=1\r\n"),
        "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        "CONNECT a:1 HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
        "CONNECT a:1 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        post("Connection: Content-Length\r\nContent-Length: 5\r\n"),
        post("Connection: close, transfer-encoding\r\nTransfer-Encoding: chunked\r\n"),
        post("Connection: host\r\n"),
        post("Proxy-Connection: host\r\n"),
    });
}

TEST_CASE("the origin gets its own form, one Host, and nothing that was for the proxy") {
    struct Row {
        std::string head, forward;
    };
    for (auto const& row : {
             Row{"GET http://a HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
             Row{"GET http://a?b=/c HTTP/1.1\r\nHost: a\r\n\r\n", "GET /?b=/c HTTP/1.1\r\nHost: a\r\n\r\n"},
             Row{"GET http://A:8080//b/?c HTTP/1.1\r\nX:  y \r\nhost: a:8080\r\n\r\n",
                 "GET //b/?c HTTP/1.1\r\nHost: A:8080\r\nX: y\r\n\r\n"},
             Row{"GET /b HTTP/1.1\r\nX: 1\r\nx: 2\r\nHost: a:81\r\n\r\n",
                 "GET /b HTTP/1.1\r\nHost: a:81\r\nX: 1\r\nx: 2\r\n\r\n"},
             Row{"GET http://a/ HTTP/1.0\r\nX: y\r\n\r\n",
                 "GET / HTTP/1.0\r\nHost: a\r\nX: y\r\nConnection: close\r\n\r\n"},
             Row{post("Connection: close\r\nX: y\r\n"),
                 "POST / HTTP/1.1\r\nHost: a\r\nX: y\r\nConnection: close\r\n\r\n"},
             Row{post("Proxy-Connection: Keep-Alive\r\nProxy-Authorization: Basic eA==\r\nKeep-Alive: 5\r\nTE: "
                      "trailers\r\n"),
                 "POST / HTTP/1.1\r\nHost: a\r\n\r\n"},
             Row{post("Connection: x-one, TE ,, X-Two\r\nConnection: x-three\r\nX-One: 1\r\nX-TWO: 2\r\nx-three: "
                      "3\r\nX-Four: 4\r\n"),
                 "POST / HTTP/1.1\r\nHost: a\r\nX-Four: 4\r\n\r\n"},
             Row{post("Transfer-Encoding: chunked\r\nTrailer: X\r\nExpect: 100-continue\r\n"),
                 "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\nExpect: "
                 "100-continue\r\n\r\n"},
             Row{post("Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"),
                 "POST / HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Version: 13\r\nConnection: upgrade\r\nUpgrade: "
                 "websocket\r\n\r\n"},
             Row{post("Upgrade: websocket\r\n"), "POST / HTTP/1.1\r\nHost: a\r\n\r\n"},
             Row{post("Upgrade: h2c\r\nHTTP2-Settings: AAA\r\nConnection: Upgrade, HTTP2-Settings\r\n"),
                 "POST / HTTP/1.1\r\nHost: a\r\n\r\n"},
             Row{connect("a:1"), ""},
         }) {
        INFO(row.head);
        auto const parsed = parse_request(row.head);
        REQUIRE(parsed);
        CHECK(parsed->forward == row.forward);
    }
}

TEST_CASE("a connection is kept or turned into something else only if both words say so") {
    struct Row {
        std::string head;
        bool keep_alive, upgrade;
    };
    for (auto const& row : {
             Row{post(""), true, false},
             Row{post("Connection: keep-alive\r\n"), true, false},
             Row{post("Connection: Close\r\n"), false, false},
             Row{post("Connection: x\r\nConnection: y,close\r\n"), false, false},
             Row{post("Proxy-Connection: close\r\n"), false, false},
             Row{"GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", false, false},
             Row{post("Connection: upgrade\r\nUpgrade: websocket\r\n"), true, true},
             Row{post("Connection: upgrade\r\n"), true, false},
             Row{post("Connection: upgrade\r\nUpgrade: H2C\r\n"), true, false},
             Row{post("Connection: upgrade\r\nUpgrade: websocket, h2c\r\n"), true, false},
             Row{"GET / HTTP/1.0\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", false, false},
             Row{"CONNECT a:1 HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", false, false},
         }) {
        INFO(row.head);
        auto const parsed = parse_request(row.head);
        REQUIRE(parsed);
        CHECK(parsed->keep_alive == row.keep_alive);
        CHECK(parsed->upgrade == row.upgrade);
    }
}

TEST_CASE("a head of thousands of lines or words is refused") {
    std::string lines, words;
    for (int count = 0; count < 1000; ++count) lines.append("X: y\r\n"), words.append("a,");
    refuses({post(lines), post("Connection: " + words + "\r\n")});
}

} // namespace pfar::proxy_connect
