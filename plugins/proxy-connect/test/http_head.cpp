// Requests in tables: the host they name, and everything that only looks like a request.
#include "http_requests.hpp"

namespace pfar::proxy_connect {

namespace {

using Form = RequestHead::Form;

} // namespace

TEST_CASE("a request names its form, host and port as they were said") {
    struct Row {
        std::string text, host;
        std::uint16_t port;
        Form form;
    };
    for (auto const& row : {
             Row{connect("api.notion.com:443"), "api.notion.com", 443, Form::connect},
             Row{connect("API.Notion.COM.:1"), "API.Notion.COM.", 1, Form::connect},
             Row{connect("127.0.0.1:65535"), "127.0.0.1", 65535, Form::connect},
             Row{connect("[2001:db8::1]:443"), "[2001:db8::1]", 443, Form::connect},
             Row{connect("[::ffff:10.0.0.1]:80"), "[::ffff:10.0.0.1]", 80, Form::connect},
             Row{connect("_dmarc.a-b.example:53"), "_dmarc.a-b.example", 53, Form::connect},
             Row{connect("b\xc3\xbc"
                         "cher.example:443"),
                 "b\xc3\xbc"
                 "cher.example",
                 443, Form::connect},
             Row{"CONNECT a:1 HTTP/1.0\r\n\r\n", "a", 1, Form::connect},
             Row{"CONNECT a:1 HTTP/1.1\r\nHost: b:2\r\nUser-Agent:\tx\r\nX-Empty:\r\n\r\n", "a", 1, Form::connect},
             Row{"CONNECT a:1 HTTP/1.1\r\nX: \xc3\xa4\r\nContent-Length: 0\r\n\r\n", "a", 1, Form::connect},
             Row{get("a", "a"), "a", 80, Form::absolute},
             Row{get("A.example:8080", "a.EXAMPLE:8080"), "A.example", 8080, Form::absolute},
             Row{get("a:80", "a"), "a", 80, Form::absolute},
             Row{get("a", "a:80"), "a", 80, Form::absolute},
             Row{get("[::1]", "[::1]:80"), "[::1]", 80, Form::absolute},
             Row{"GET HTTP://a HTTP/1.1\r\nHost: a\r\n\r\n", "a", 80, Form::absolute},
             Row{"GET http://a/ HTTP/1.0\r\n\r\n", "a", 80, Form::absolute},
             Row{"GET / HTTP/1.1\r\nHOST:a:81\r\n\r\n", "a", 81, Form::origin},
             Row{"GET / HTTP/1.0\r\nhost: \t a \t\r\n\r\n", "a", 80, Form::origin},
             Row{"OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n", "a", 80, Form::origin},
         }) {
        INFO(row.text);
        auto const parsed = parse_request(row.text);
        REQUIRE(parsed);
        CHECK(parsed->host == row.host);
        CHECK(parsed->port == row.port);
        CHECK(parsed->form == row.form);
    }
}

TEST_CASE("a request line is three words in one spelling") {
    refuses({
        "",
        "\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "CONNECT",
        "CONNECT a:1 HTTP/1.1\r\n",
        "CONNECT a:1\r\n\r\n",
        "GET /\r\n\r\n",
        "GET / HTTP/0.9\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
        "GET / HTTP/2\r\nHost: a\r\n\r\n",
        "GET / http/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /  HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n",
        " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "CONNECT a:1 HTTP/1.1\r\n\r\nmore",
    });
}

TEST_CASE("a target has one form, and its host no second reading") {
    refuses({
        "connect a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
        "OPTIONS http://a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http:/a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://a/#b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /#b HTTP/1.1\r\nHost: a\r\n\r\n",
        get("a#@b", "b"),
        get("user@a", "a"),
        get("user:word@a", "a"),
        get("a\\@b", "a"),
        get("a\\", "a"),
        get("a%2eb", "a%2eb"),
        get("<a>", "<a>"),
        get("\"a\"", "\"a\""),
        get("a;b", "a;b"),
        get("a,b", "a,b"),
        get("a:", "a"),
        get("a:0", "a"),
        connect("http://a:1/"),
        connect("/"),
        connect("a:1/"),
        connect("a:1?"),
        connect("user@a:1"),
        // ports
        connect("a"),
        connect("a:"),
        connect("a:0"),
        connect("a:65536"),
        connect("a:99999999999999999999"),
        connect("a:-1"),
        connect("a:+1"),
        connect("a:0443"),
        connect("a:4 43"),
        connect("a:0x50"),
        connect("a:443:443"),
        connect(":443"),
        // hosts
        connect(""),
        connect("a b:1"),
        connect(" a:1"),
        connect("a:1 "),
        connect("a%2e:1"),
        connect("::1:443"),
        connect("[::1]"),
        connect("[]:1"),
        connect("[::1%eth0]:1"),
        connect("[::1%25eth0]:1"),
        connect("[a"),
        connect("[::1]a:1"),
        connect("x[::1]:1"),
        connect("[::1]443"),
        connect("a*:1"),
        connect("a\0b:1"s),
        connect(std::string(256, 'a') + ":1"),
    });
}

TEST_CASE("https in absolute form is told to use CONNECT") {
    auto const parsed = parse_request("GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n");
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().what.find("CONNECT") != std::string::npos);
}

TEST_CASE("there is one Host, and it is the host of the target") {
    refuses({
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: user@a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: http://a\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\n\r\n",
        "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\nHost: a:1\r\n\r\n",
        get("a", "b"),
        get("a", ""),
        get("a", "a:8080"),
        get("a:8080", "a"),
        get("a", "a."),
        get("a", "a:"),
        get("a", "a b"),
        "GET http://a/ HTTP/1.0\r\nHost: b\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    });
}

TEST_CASE("lines end in CRLF and begin with a name") {
    refuses({
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\n\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n",
        post("X: a\rb\r\n"),
        post("X: \0\r\n"s),
        post("X: \x7f\r\n"),
        post("X: \x1b[0m\r\n"),
        post("no colon\r\n"),
        post(": x\r\n"),
        post("X : x\r\n"),
        post("X\t: x\r\n"),
        post("X(: x\r\n"),
        post("X: y\r\n folded\r\n"),
        post("X: y\r\n\tfolded\r\n"),
        post(" X: y\r\n"),
        post("\xc3\xa4: x\r\n"),
        "GET / HTTP/1.1\r\n Host: a\r\nHost: a\r\n\r\n",
    });
}

TEST_CASE("a head is complete at its empty line, however it arrives") {
    for (auto const& head : {connect("a:1"), get("a", "a"), post("X:\ty\r\n"), "HTTP/1.1 200 OK\r\nX: y\r\n\r\n"s}) {
        auto const text = head + "more\n";
        for (std::size_t size = 0; size < head.size(); ++size)
            for (std::size_t known = 0; known <= size; ++known)
                if (scan_head(text.substr(0, size), known).state != HeadScan::State::incomplete)
                    FAIL(text.substr(0, size));
        for (std::size_t known = 0; known < head.size(); ++known) {
            auto const scan = scan_head(text, known);
            CHECK(scan.state == HeadScan::State::complete);
            CHECK(scan.size == head.size());
        }
    }
}

TEST_CASE("a head that cannot become good is bad at its first bad byte, or where its line ends") {
    for (auto const& text : {"\x16"s,
                             "\r"s,
                             "\n"s,
                             " "s,
                             "\t"s,
                             ":"s,
                             "\0"s,
                             "\xc3"s,
                             "G\n"s,
                             "G\rx"s,
                             "G\0"s,
                             "G\x7f"s,
                             "PRI * HTTP/2.0"s,
                             "G HTTP/1.1\r\n "s,
                             "G HTTP/1.1\r\n\t"s,
                             "G HTTP/1.1\r\n:"s,
                             "G HTTP/1.1\r\n\n"s,
                             "G HTTP/1.1\r\nX: y\n"s,
                             "G HTTP/1.1\r\nX\r\n"s,
                             "G HTTP/1.1\r\nX y: z\r\n"s,
                             "G\tHTTP/1.1\r\n"s,
                             "G\r\n"s,
                             "G http://a/\r\n"s,
                             "G http://a/ HTTP/1.2\r\n"s}) {
        INFO(text);
        CHECK(scan_head(text, text.size() - 1).state == HeadScan::State::bad);
        CHECK(scan_head(text, 0).state == HeadScan::State::bad);
        CHECK(scan_head(text.substr(0, text.size() - 1), 0).state == HeadScan::State::incomplete);
    }
}

} // namespace pfar::proxy_connect
