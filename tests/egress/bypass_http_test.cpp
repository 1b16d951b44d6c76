// Requests that two readers could read differently, and a second request behind an allowed one.
#include "egress/attempts.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using namespace std::string_literals;
using test::Attempt;
using test::by_bytes;
using test::WorldStage;

namespace {

std::string const good = "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n";
std::string const post = "POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\n";
std::string const evil = "GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n";
std::string const hidden = "GET /hidden HTTP/1.1\r\nHost: evil.test\r\n\r\n"; // for the server behind an allowed name

/// The relay takes what a strict reader refuses to the good peer, which sees a request that nobody has judged.
std::vector<Attempt> smuggled() {
    auto const length = std::to_string(hidden.size());
    return {
        by_bytes("chunks and a length",
                 post + "Content-Length: " + std::to_string(hidden.size() + 5) +
                     "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
                 "400", 2),
        by_bytes("a length and chunks",
                 post + "Transfer-Encoding: chunked\r\nContent-Length: " + std::to_string(hidden.size() + 5) +
                     "\r\n\r\n0\r\n\r\n" + hidden,
                 "400", 2),
        by_bytes("chunks that are not the last coding",
                 post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + hidden, "400", 2),
        by_bytes("a coding that nobody knows", post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + hidden, "400",
                 2),
        by_bytes("two lengths", post + "Content-Length: 0\r\nContent-Length: " + length + "\r\n\r\n" + hidden, "400",
                 2),
        by_bytes("two lengths in one", post + "Content-Length: 0, " + length + "\r\n\r\n" + hidden, "400", 2),
        by_bytes("a length with a sign", post + "Content-Length: +0\r\n\r\n" + hidden, "400", 2),
        by_bytes("a length below zero", post + "Content-Length: -0\r\n\r\n" + hidden, "400", 2),
        by_bytes("a length that is no number", post + "Content-Length: x\r\n\r\n" + hidden, "400", 2),
        by_bytes("a length of 65 bits", post + "Content-Length: 18446744073709551616\r\n\r\n" + hidden, "400|413", 2),
        by_bytes("a chunk with a sign", post + "Transfer-Encoding: chunked\r\n\r\n+0\r\n\r\n" + hidden, "400|closed",
                 2),
        by_bytes("a chunk's size of 0x", post + "Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n" + hidden, "400|closed",
                 2),
        by_bytes("a chunk's line by LF alone", post + "Transfer-Encoding: chunked\r\n\r\n0\n\n" + hidden, "400|closed",
                 2),
        by_bytes("chunks with a space before the colon",
                 post + "Content-Length: " + std::to_string(hidden.size() + 5) +
                     "\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + hidden,
                 "400", 2),
    };
}

/// More than any head needs; whatever reads without a bound takes it.
Attempt oversized(std::string const& name, std::string const& start, std::string const& rest) {
    auto attempt = by_bytes(name, start + std::string(1U << 20U, 'x') + rest, "400|431|414");
    attempt.control = "good";
    return attempt;
}

std::vector<Attempt> malformed() {
    return {
        by_bytes("another Host", "GET http://good.example/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", "400"),
        by_bytes("another Host's port", "GET http://good.example/ HTTP/1.1\r\nHost: evil.test:80\r\n\r\n", "400"),
        by_bytes("two Hosts", "GET http://good.example/ HTTP/1.1\r\nHost: evil.test\r\nHost: good.example\r\n\r\n",
                 "400"),
        by_bytes("two Hosts, the other way", good + "Host: evil.test\r\n\r\n" + evil, "400", 2),
        by_bytes("a CONNECT with another Host",
                 "CONNECT evil.test:80 HTTP/1.1\r\nHost: good.example:80\r\n\r\n" + hidden, "400|403"),
        by_bytes("an origin-form request by its Host", "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n", "400"),
        by_bytes("a folded line", "GET http://good.example/ HTTP/1.1\r\nHost:\r\n evil.test\r\n\r\n", "400"),
        by_bytes("a folded line that hides a field",
                 "GET http://good.example/ HTTP/1.1\r\nX: 1\r\n Host: good.example\r\n"
                 "Host: evil.test\r\n\r\n",
                 "400"),
        by_bytes("a field of evil by LF alone", "GET http://good.example/ HTTP/1.1\r\nX: 1\nHost: evil.test\r\n\r\n",
                 "400"),
        by_bytes("a whole request by LF alone", "GET http://evil.test/ HTTP/1.1\nHost: evil.test\n\n", "400"),
        by_bytes("a bare CR in a field",
                 "GET http://good.example/ HTTP/1.1\r\nX: 1\rHost: good.example\r\nHost: evil.test\r\n\r\n", "400"),
        by_bytes("a NUL in a field", "GET http://good.example/ HTTP/1.1\r\nX: \0\r\nHost: evil.test\r\n\r\n"s, "400"),
        by_bytes("a space before a colon", "GET http://good.example/ HTTP/1.1\r\nHost : evil.test\r\n\r\n", "400"),
        by_bytes("a field without a name", "GET http://good.example/ HTTP/1.1\r\n: x\r\nHost: evil.test\r\n\r\n",
                 "400"),
        by_bytes("two spaces in the request line", "GET  http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", "400"),
        by_bytes("a TAB in the request line", "GET\thttp://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", "400"),
        by_bytes("HTTP/0.9", "GET http://evil.test/\r\n\r\n", "400"),
        by_bytes("HTTP/0.9, CONNECT", "CONNECT evil.test:80\r\n\r\n" + hidden, "400"),
        by_bytes("HTTP/1.0 without a Host", "GET http://evil.test/ HTTP/1.0\r\n\r\n", "400|403"),
        by_bytes("HTTP/1.0, CONNECT", "CONNECT evil.test:80 HTTP/1.0\r\n\r\n" + hidden, "400|403"),
        by_bytes("HTTP/2.0 in the request line", "GET http://evil.test/ HTTP/2.0\r\nHost: evil.test\r\n\r\n",
                 "400|505"),
        by_bytes("another scheme", "GET https://evil.test:80/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", "400|403"),
        by_bytes("no scheme", "GET //evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", "400"),
        by_bytes("an authority where a URL belongs", "GET evil.test:80 HTTP/1.1\r\nHost: evil.test\r\n\r\n", "400"),
        by_bytes("a URL where an authority belongs",
                 "CONNECT http://evil.test:80/ HTTP/1.1\r\nHost: evil.test\r\n\r\n" + hidden, "400"),
        by_bytes("no Host", "GET http://evil.test/ HTTP/1.1\r\n\r\n", "400"),
        by_bytes("a CONNECT without a port", "CONNECT evil.test HTTP/1.1\r\nHost: evil.test\r\n\r\n" + hidden, "400"),
        oversized("a field of a MiB", good + "X: ", "\r\n\r\n"),
        oversized("a URL of a MiB", "GET http://good.example/", " HTTP/1.1\r\nHost: good.example\r\n\r\n"),
        by_bytes("lines before the request", "\r\n\r\n" + evil, "400|403"),
    };
}

/// Nobody could make anything else of these, so there is nothing that would work outside.
std::vector<Attempt> senseless() {
    std::string const label(64, 'x'), name = std::string(300, 'x') + ".example";
    return {
        by_bytes("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400"),
        by_bytes("a request about no host", "OPTIONS * HTTP/1.1\r\nHost: good.example\r\n\r\n", "400"),
        by_bytes("no method", " http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n", "400"),
        by_bytes("a handshake", "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n"s, "400"),
        test::by_connect("port 0", "good.example:0", "400|403"),
        test::by_connect("port 65536", "good.example:65536", "400"),
        test::by_connect("an empty port", "good.example:", "400"),
        test::by_connect("no port", "good.example", "400"),
        test::by_connect("a port in letters", "good.example:https", "400"),
        test::by_connect("a port below zero", "good.example:-443", "400"),
        test::by_connect("no host", ":443", "400"),
        test::by_connect("an empty label", "good..example:443", "400|403"),
        test::by_connect("a dot alone", ".:443", "400|403"),
        test::by_connect("two dots at the end", "good.example..:443", "400|403"),
        test::by_connect("a label of 64", label + ".example:443", "400|403"),
        test::by_connect("a name of 308", name + ":443", "400|403"),
        test::by_connect("a bracket without its other", "[::1:443", "400|403"),
        test::by_connect("an IPv6 address with a zone", "[fe80::1%25lo]:443", "400|403"),
        test::by_connect("an IPv6 address without brackets", "::1:443", "400|403"),
    };
}

std::vector<Attempt> transparent() { // to an allowed name's address
    auto const get = "GET / HTTP/1.1\r\nHost: good.example\r\n\r\n"s,
               head = "POST / HTTP/1.1\r\nHost: good.example\r\n"s;
    auto const length = std::to_string(hidden.size() + 5);
    auto const by = [](char const* name, std::string const& raw, char const* inside, int answers) {
        return test::by_tcp(name, "good.example", 80, raw, inside, answers);
    };
    return {
        by("a second request by another Host", get + hidden, "good 403|good 400", 2),
        by("a second request in absolute form", get + evil, "good 403|good 400", 2),
        by("a second request behind a body", head + "Content-Length: 4\r\n\r\nbody" + hidden, "good 403|good 400", 2),
        by("chunks and a length",
           head + "Content-Length: " + length + "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden, "400", 2),
        by("two Hosts", "GET / HTTP/1.1\r\nHost: evil.test\r\nHost: good.example\r\n\r\n", "400", 1),
        by("a field by LF alone", "GET / HTTP/1.1\r\nX: 1\nHost: evil.test\r\n\r\n", "400", 1),
        by("an address for a Host", "GET / HTTP/1.1\r\nHost: 203.0.113.66\r\n\r\n", "400|403", 1),
        by("no Host", "GET / HTTP/1.0\r\n\r\n", "400|403", 1),
    };
}

std::vector<Attempt> in_a_tunnel() { // to port 80 of an allowed name
    auto const get = "GET / HTTP/1.1\r\nHost: good.example\r\n\r\n"s;
    auto const length = std::to_string(hidden.size() + 5);
    auto const by = [](char const* name, std::string const& raw, char const* inside, int answers = 1) {
        return test::by_connect(name, "good.example:80", raw, inside, answers);
    };
    return {
        by("another Host", hidden, "400|403"),
        by("a second request by another Host", get + hidden, "good 403|good 400", 2),
        by("an absolute form", evil, "400|403"),
        by("a tunnel in the tunnel", "CONNECT evil.test:80 HTTP/1.1\r\nHost: evil.test:80\r\n\r\n", "400|403"),
        by("chunks and a length",
           "POST / HTTP/1.1\r\nHost: good.example\r\nContent-Length: " + length +
               "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
           "400", 2),
        by("two Hosts", "GET / HTTP/1.1\r\nHost: evil.test\r\nHost: good.example\r\n\r\n", "400"),
        by("a field by LF alone", "GET / HTTP/1.1\r\nX: 1\nHost: evil.test\r\n\r\n", "400"),
        by_bytes("another Host, right behind the CONNECT",
                 "CONNECT good.example:80 HTTP/1.1\r\nHost: good.example:80\r\n\r\n" + hidden, "400|403"),
    };
}

std::vector<Attempt> behind() { // the second request of a connection
    return {
        by_bytes("a second request to another host, pipelined", good + "\r\n" + evil, "good 403", 2),
        by_bytes("a second request by its Host alone, pipelined", good + "\r\n" + hidden, "good 400", 2),
        by_bytes("a second request behind a body", post + "Content-Length: 4\r\n\r\nbody" + evil, "good 403", 2),
        by_bytes("a second request behind chunks",
                 post + "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n" + evil, "good 403", 2),
        by_bytes("a CONNECT behind a request",
                 good + "\r\nCONNECT evil.test:80 HTTP/1.1\r\nHost: evil.test:80\r\n\r\n" + hidden, "good 403|good 400",
                 2),
        by_bytes("an upgrade to a tunnel", good + "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n" + evil,
                 "good 403|good closed|400", 2),
    };
}

} // namespace

TEST_CASE("a request that can be read in two ways is refused, and the connection ends") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    auto table = smuggled();
    for (auto& attempt : malformed()) table.push_back(std::move(attempt));
    check_attempts(stage, {"good.example"}, table);
}

TEST_CASE("every request of a kept-alive connection is judged") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    check_attempts(stage, {"good.example"}, behind());
}

TEST_CASE("a tunnel to port 80 carries only requests for the judged name") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    check_attempts(stage, {"good.example"}, in_a_tunnel());
}

TEST_CASE("what makes no sense is refused, and the connection ends") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    check_inside(stage, {"good.example"}, senseless());
}

TEST_CASE("without the proxy requests are read as strictly") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    check_attempts(stage, {"good.example"}, transparent());
}

TEST_CASE("a request of HTTP/0.9 is refused when its line has ended") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::people())));
    CAPTURE(stage.setting());
    check_attempts(stage, {"good.example"}, {by_bytes("HTTP/0.9", "GET http://evil.test/\r\n", "400")});
}

TEST_CASE("of requests that are wrong in many ways none gets where it must not") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::some_settings())));
    auto const* const way = GENERATE("proxy", "direct");
    CAPTURE(stage.setting(), way);
    auto const script = stage.write("given/mutate.py", test::read(PFAR_SOURCE "/tests/egress/mutate.py")).native();
    auto const outcome = stage.reaching({"good.example"}, {"/usr/bin/python3", script, "1", "1000", way});
    CHECK(outcome.out == "sent 1000 hung 0\n");
    auto const seen = test::World::here().seen();
    CHECK(seen.evil() == std::vector<std::string>());
    CHECK(seen.count("good http") > 100); // what is right in them works
    static auto const control = stage.outside({"/usr/bin/python3", script, "1", "200", "direct"}).out;
    CHECK(control.starts_with("sent 200"));
    static auto const reached = test::World::here().seen().evil().size();
    CHECK(reached > 20);
}
