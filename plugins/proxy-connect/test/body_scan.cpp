// Bodies, whole and byte by byte; what follows one is never part of it.
#include "body_scan.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace pfar::proxy_connect {

namespace {

using namespace std::string_literals;
using Kind = Body::Kind;

constexpr Body chunked{Kind::chunked, 0};

// How many bytes were taken, in pieces of this size; -1 for no body.
long taken(Body body, std::string_view bytes, std::size_t piece) {
    BodyScan scan(body);
    std::size_t total = 0;
    while (total < bytes.size() && !scan.done()) {
        auto const size = scan.take(bytes.substr(total, piece));
        if (!size) return -1;
        total += *size;
    }
    return scan.done() || body.kind == Kind::until_close ? static_cast<long>(total) : -2;
}

} // namespace

TEST_CASE("a body takes its own bytes and leaves the next message alone") {
    struct Row {
        Body body;
        std::string bytes;
    };
    auto const longest = "0;" + std::string(256, 'x') + "\r\n\r\n";
    for (auto const& row : {
             Row{{Kind::none, 0}, ""},
             Row{{Kind::length, 0}, ""},
             Row{{Kind::length, 5}, "hello"},
             Row{chunked, "0\r\n\r\n"},
             Row{chunked, "5\r\nhello\r\n0\r\n\r\n"},
             Row{chunked, "0005\r\nh\r\no\n\r\n1\r\n0\r\n00\r\n\r\n"},
             Row{chunked, "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n"},
             Row{chunked, "1;name=value; \"quoted\"\r\nx\r\n0;last\r\n\r\n"},
             Row{chunked, "0\r\nX: y\r\nGrpc-Status:\t0\r\n\r\n"},
             Row{chunked, longest},
             Row{chunked, "0\r\nX: " + std::string(8192 - 7, 'y') + "\r\n\r\n"},
         }) {
        INFO(row.bytes);
        auto const text = row.bytes + "GET / HTTP/1.1\r\n";
        for (auto const piece : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, text.size()})
            CHECK(taken(row.body, text, piece) == static_cast<long>(row.bytes.size()));
        BodyScan scan(row.body);
        REQUIRE(scan.take(row.bytes));
        CHECK(scan.done());
        CHECK(scan.take("more").value() == 0);
    }
}

TEST_CASE("chunks in another spelling are no body") {
    for (auto const& text : {
             "\r\n"s,
             "x\r\n"s,
             " 5\r\n"s,
             "5 \r\n"s,
             "+5\r\n"s,
             "-5\r\n"s,
             "0x5\r\n"s,
             ";x\r\n"s,
             "5 ;x\r\n"s,
             "5\t\r\n"s,
             "5\n"s,
             "5\rh"s,
             "5\r\r\n"s,
             "5\r\nhello0\r\n"s,
             "5\r\nhello\n"s,
             "5\r\nhello\r0"s,
             "5\r\nhello\n0\r\n"s,
             "5\r\nhello\r\n\r\n"s,
             "5;x\n"s,
             "5;a\nb\r\n"s,
             "5;\0\r\n"s,
             "5;\t\r\n"s,
             "5;\x7f\r\n"s,
             "5;" + std::string(257, 'x') + "\r\n",
             "11112222333344445\r\n"s,
             "00000000000000000\r\n"s,
             "0\r\n\n"s,
             "0\r\n\rx"s,
             "0\r\nX\r\n"s,
             "0\r\nX: y\n"s,
             "0\r\n X: y\r\n"s,
             "0\r\nX: y\r\n z\r\n"s,
             "0\r\nX : y\r\n"s,
             "0\r\nX: \0"s,
             "0\r\nX: " + std::string(8192 - 6, 'y') + "\r\n\r\n",
         }) {
        INFO(text);
        CHECK(taken(chunked, text, 1) == -1);
        CHECK(taken(chunked, text, text.size()) == -1);
    }
}

TEST_CASE("a chunk can be as long as a number can say") {
    BodyScan scan(chunked);
    CHECK(scan.take("ffffffffffffffff\r\nhello").value() == 23);
    CHECK_FALSE(scan.done());
}

TEST_CASE("a body that goes on until the connection closes takes everything") {
    BodyScan scan({Kind::until_close, 0});
    CHECK(scan.take("0\r\n\r\nHTTP/1.1 200 OK\r\n").value() == 22);
    CHECK_FALSE(scan.done());
}

TEST_CASE("a body that was bad once stays bad") {
    BodyScan scan(chunked);
    CHECK_FALSE(scan.take("x"));
    CHECK_FALSE(scan.take("0\r\n\r\n"));
    CHECK_FALSE(scan.done());
}

} // namespace pfar::proxy_connect
