// Responses in tables: where they end, and whether another one can follow.
#include "http_head.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pfar::proxy_connect {

namespace {

using Kind = Body::Kind;

} // namespace

TEST_CASE("a response ends where its head and its request say") {
    struct Row {
        std::string method, head;
        unsigned status;
        Kind kind;
        bool keep_alive;
    };
    for (auto const& row : {
             Row{"GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 200, Kind::length, true},
             Row{"GET", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, Kind::length, true},
             Row{"GET", "HTTP/1.1 200 \r\ntransfer-encoding: Chunked\r\n\r\n", 200, Kind::chunked, true},
             Row{"GET", "HTTP/1.1 200 OK\r\n\r\n", 200, Kind::until_close, false},
             Row{"GET", "HTTP/1.1 999 No \xc3\xa4\r\nContent-Length: 5\r\nConnection: x, Close\r\n\r\n", 999,
                 Kind::length, false},
             Row{"GET", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\n", 200, Kind::length,
                 false},
             Row{"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 200, Kind::none, true},
             Row{"HEAD", "HTTP/1.1 200 OK\r\n\r\n", 200, Kind::none, true},
             Row{"GET", "HTTP/1.1 100 Continue\r\n\r\n", 100, Kind::none, true},
             Row{"GET", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", 101,
                 Kind::none, true},
             Row{"GET", "HTTP/1.1 204 No Content\r\n\r\n", 204, Kind::none, true},
             Row{"GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", 304, Kind::none, true},
             Row{"CONNECT", "HTTP/1.1 200 Connection established\r\n\r\n", 200, Kind::none, true},
             Row{"CONNECT", "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 5\r\n\r\n", 407,
                 Kind::length, true},
         }) {
        INFO(row.method << " " << row.head);
        auto const parsed = parse_response(row.head, row.method);
        REQUIRE(parsed);
        CHECK(parsed->status == row.status);
        CHECK(parsed->body.kind == row.kind);
        CHECK(parsed->body.length == (row.kind == Kind::length && row.head.find(": 5") != std::string::npos ? 5 : 0));
        CHECK(parsed->keep_alive == row.keep_alive);
    }
}

TEST_CASE("the same length said twice in an answer is that length") {
    auto const parsed = parse_response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-length:5\r\n\r\n", "GET");
    REQUIRE(parsed);
    CHECK((parsed->body.kind == Body::Kind::length && parsed->body.length == 5));
}

TEST_CASE("whatever is not exactly a response is refused") {
    for (auto const* text : {
             "",
             "HTTP/1.1 200 OK\r\n",
             "HTTP/1.1 200 OK\n\n",
             "HTTP/2 200 OK\r\n\r\n",
             "HTTP/1.1\r\n\r\n",
             "HTTP/1.1 \r\n\r\n",
             "HTTP/1.1 20\r\n\r\n",
             "HTTP/1.1 2000\r\n\r\n",
             "HTTP/1.1 099 OK\r\n\r\n",
             "HTTP/1.1 20x OK\r\n\r\n",
             "HTTP/1.1  200 OK\r\n\r\n",
             "HTTP/1.1 +20 OK\r\n\r\n",
             "HTTP/1.1 200-OK\r\n\r\n",
             "HTTP/1.1\t200 OK\r\n\r\n",
             "ICY 200 OK\r\n\r\n",
             "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
             "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
             "HTTP/1.1 200 OK\r\nX: y\r\n folded\r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n",
         }) {
        INFO(text);
        auto const parsed = parse_response(text, "GET");
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().code == Errc::invalid);
        CHECK_FALSE(parsed.error().what.empty());
    }
}

} // namespace pfar::proxy_connect
