// The parser in tables: what is a CONNECT request, and everything that only looks like one.
#include "connect_request.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pfar::proxy_connect {

namespace {

using namespace std::string_literals;

std::string request(std::string const& authority) {
    return "CONNECT " + authority + " HTTP/1.1\r\n\r\n";
}

} // namespace

TEST_CASE("a CONNECT request names host and port as they were said") {
    struct Row {
        std::string text, host;
        std::uint16_t port;
    };
    for (auto const& row : {
             Row{request("api.notion.com:443"), "api.notion.com", 443},
             Row{request("API.Notion.COM.:1"), "API.Notion.COM.", 1},
             Row{request("127.0.0.1:65535"), "127.0.0.1", 65535},
             Row{request("[2001:db8::1]:443"), "[2001:db8::1]", 443},
             Row{request("[::ffff:10.0.0.1]:80"), "[::ffff:10.0.0.1]", 80},
             Row{request("_dmarc.a-b.example:53"), "_dmarc.a-b.example", 53},
             Row{"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\nUser-Agent:\tx\r\nX-Empty:\r\n\r\n", "a", 1},
             Row{"CONNECT a:1 HTTP/1.1\r\nX: \xc3\xa4\r\n\r\n", "a", 1},
         }) {
        INFO(row.text);
        auto const parsed = parse_connect(row.text);
        REQUIRE(parsed);
        CHECK(parsed->host == row.host);
        CHECK(parsed->port == row.port);
    }
}

TEST_CASE("whatever is not exactly a CONNECT request is refused") {
    for (auto const& text : {
             ""s,
             "\r\n\r\n"s,
             "CONNECT"s,
             "CONNECT a:1 HTTP/1.1\r\n"s,
             // another method, another form, another version
             "GET http://a/ HTTP/1.1\r\n\r\n"s,
             "connect a:1 HTTP/1.1\r\n\r\n"s,
             "CONNECT a:1\r\n\r\n"s,
             "CONNECT a:1 HTTP/1.0\r\n\r\n"s,
             "CONNECT a:1 HTTP/2\r\n\r\n"s,
             "CONNECT a:1 HTTP/1.1 \r\n\r\n"s,
             request("http://a:1/"),
             request("a:1/"),
             request("user@a:1"),
             // ports
             request("a"),
             request("a:"),
             request("a:0"),
             request("a:65536"),
             request("a:99999999999999999999"),
             request("a:-1"),
             request("a:+1"),
             request("a:0443"),
             request("a:4 43"),
             request("a:0x50"),
             request("a:443:443"),
             request(":443"),
             // hosts
             request(""),
             request("a b:1"),
             request(" a:1"),
             request("a:1 "),
             request("a%2e:1"),
             request("::1:443"),
             request("[::1]"),
             request("[]:1"),
             request("[::1%eth0]:1"),
             request("[a"),
             request("x[::1]:1"),
             request("\xc3\xa4.example:1"),
             request("a\0b:1"s),
             request(std::string(256, 'a') + ":1"),
             // line ends and header lines
             "CONNECT a:1 HTTP/1.1\n\n"s,
             "CONNECT a:1 HTTP/1.1\r\nHost: a\n\r\n\r\n"s,
             "CONNECT a:1 HTTP/1.1\r\r\n\r\n"s,
             "CONNECT a:1 HTTP/1.1\r\nX: a\rb\r\n\r\n"s,
             "CONNECT a:1 HTTP/1.1\r\nX: \0\r\n\r\n"s,
             "CONNECT a:1 HTTP/1.1\r\nno colon\r\n\r\n"s,
             "CONNECT a:1 HTTP/1.1\r\n: x\r\n\r\n"s,
             "CONNECT a:1 HTTP/1.1\r\nX : x\r\n\r\n"s,
             "CONNECT a:1 HTTP/1.1\r\nX: y\r\n folded\r\n\r\n"s,
             "CONNECT a:1 HTTP/1.1\r\n\r\nmore"s,
         }) {
        INFO(text);
        auto const parsed = parse_connect(text);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().code == Errc::invalid);
        CHECK_FALSE(parsed.error().what.empty());
    }
}

TEST_CASE("a header is complete at its empty line, however it arrives") {
    auto const header = request("a:1");
    auto const text = header + "more";
    for (std::size_t size = 0; size < header.size(); ++size)
        for (std::size_t known = 0; known <= size; ++known)
            CHECK(scan_header(text.substr(0, size), known).state == HeaderScan::State::incomplete);
    for (std::size_t known = 0; known < header.size(); ++known) {
        auto const scan = scan_header(text, known);
        CHECK(scan.state == HeaderScan::State::complete);
        CHECK(scan.size == header.size());
    }
}

TEST_CASE("a header that cannot become good is bad at its first bad byte") {
    for (auto const& text : {"G"s, "\x16\x03\x01"s, "CONNECT\t"s, "CONNECT a\n"s, "CONNECT a\rb"s, "CONNECT a\0"s})
        CHECK(scan_header(text, text.size() - 1).state == HeaderScan::State::bad);
}

} // namespace pfar::proxy_connect
