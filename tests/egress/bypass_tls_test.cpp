// What is said in a TLS handshake has to be what was judged, through the proxy and without it.
#include "egress/attempts.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using test::Attempt;
using test::by_tcp;
using test::by_tls;
using test::by_tunnel;
using test::WorldStage;

namespace {

// Before anything of the server's has come back, a tunnel can only be closed; where the filter speaks TLS itself it says why.
std::string const ended = "closed|alert tlsv1_unrecognized_name|ConnectionResetError";
std::vector<std::string> const allowed{"good.example", "*.wild.example", "other.example", "203.0.113.20"};

Attempt split(Attempt attempt, char const* how) {
    for (auto& step : attempt.steps)
        if (auto& words = step.as_array(); words[0] == "tls") words.emplace_back(how);
    attempt.name += ", by ";
    attempt.name += how;
    return attempt;
}

std::vector<Attempt> through_proxy() {
    std::string const request = "GET / HTTP/1.1\r\nHost: good.example\r\n\r\n";
    std::vector<Attempt> table{
        by_tunnel("another server name", "good.example:443", "evil.test", ended),
        by_tunnel("a server name below", "good.example:443", "evil.good.example", ended),
        by_tunnel("a server name with more behind", "good.example:443", "good.example.evil.test", ended),
        by_tunnel("a server name with more in front", "good.example:443", "evil-good.example", ended),
        by_tunnel("the server name of another allowed one", "a.wild.example:443", "evil.wild.example", ended),
        by_tunnel("no server name", "good.example:443", "", ended),
        by_tunnel("a server name for an address", "203.0.113.20:443", "evil.test", ended),
        by_tunnel("TLS to a name that is not allowed", "evil.test:443", "good.example", "403"),
        by_tunnel("TLS to an address that is not allowed", "203.0.113.66:443", "good.example", "403"),
    };
    table.push_back(
        test::by_eager_tunnel("another server name, behind the CONNECT", "good.example:443", "evil.test", ended));
    table.push_back(test::by_eager_tunnel("no server name, behind the CONNECT", "good.example:443", "", ended));
    auto plain = test::by_connect("a tunnel to 443 without TLS", "good.example:443", ended);
    table.push_back(std::move(plain));
    table.push_back(split(table[0], "bytes"));
    table.push_back(split(table[0], "records"));
    table.push_back(split(table[5], "bytes"));
    return table;
}

std::vector<Attempt> without_proxy() {
    std::string const get = "GET / HTTP/1.1\r\nHost: ";
    std::vector<Attempt> table{
        by_tls("an allowed name's address, another server name", "good.example", 443, "evil.test", ended),
        by_tls("an allowed name's address, no server name", "good.example", 443, "", ended),
        by_tls("an allowed name's address, a name below", "good.example", 443, "evil.good.example", ended),
        by_tls("an allowed name's address, an allowed name that is another's", "a.wild.example", 443,
               "evil.wild.example", ended),
        by_tls("a listed address, a server name", "203.0.113.20", 443, "evil.test", ended),
        by_tcp("a listed address, another Host", "203.0.113.20", 80, get + "evil.test\r\n\r\n", "400|403"),
        by_tls("an address nobody was told, an allowed name", "203.0.113.66", 443, "good.example", ended),
        by_tls("an address nobody was told, its own name", "203.0.113.66", 443, "evil.test", ended),
        by_tls("an address nobody was told, no name", "203.0.113.66", 443, "", ended),
        by_tcp("not TLS on 443", "good.example", 443, get + "good.example\r\n\r\n", ended),
        by_tcp("another Host on 80", "good.example", 80, get + "evil.test\r\n\r\n", "400|403"),
        by_tcp("an absolute form on 80", "good.example", 80,
               "GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", "400|403"),
        by_tcp("an address nobody was told on 80, an allowed Host", "203.0.113.66", 80, get + "good.example\r\n\r\n",
               "400|403|closed"),
        by_tcp("a CONNECT on 80", "203.0.113.66", 80, "CONNECT evil.test:80 HTTP/1.1\r\nHost: evil.test:80\r\n\r\n",
               "400|403|closed"),
        by_tcp("the metadata service", "169.254.169.254", 80, get + "169.254.169.254\r\n\r\n", "400|403|closed"),
        by_tcp("an address nobody was told on another port", "203.0.113.66", 22, "", "ConnectionRefusedError"),
        by_tcp("an allowed name on another port", "good.example", 22, "", "ConnectionRefusedError"),
        by_tcp("an allowed name on another port of TLS", "good.example", 8443, "", "ConnectionRefusedError"),
        by_tcp("a service on the host's loopback", "127.0.0.1", 8080, get + "good.example\r\n\r\n",
               "ConnectionRefusedError"),
        by_tcp("a service on the host's IPv6 loopback", "::1", 8080, get + "good.example\r\n\r\n",
               "ConnectionRefusedError|errno 99|errno 101"),
        by_tcp("an IPv6 address", "2001:db8::66", 80, get + "good.example\r\n\r\n", "errno 99|errno 101"),
        by_tls("an IPv6 address by TLS", "2001:db8::66", 443, "good.example", "errno 99|errno 101"),
        by_tcp("a mapped address", "::ffff:203.0.113.66", 22, "", "ConnectionRefusedError|errno 99|errno 101"),
        by_tcp("a name that is not allowed", "evil.test", 80, get + "evil.test\r\n\r\n", "no such name"),
    };
    table.push_back(split(table[0], "bytes"));
    table.push_back(split(table[0], "records"));
    table.push_back(split(table[1], "bytes"));
    return table;
}

} // namespace

TEST_CASE("a tunnel to port 443 carries only TLS for the judged name") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    check_attempts(stage, allowed, through_proxy());
}

TEST_CASE("without the proxy, addresses are those of allowed names and carry only what is for them") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    check_attempts(stage, allowed, without_proxy());
}

TEST_CASE("a handshake for the judged name works, in however many pieces it comes") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    std::vector<Attempt> table{
        by_tunnel("a tunnel", "good.example:443", "good.example", "good"),
        by_tls("no proxy", "good.example", 443, "good.example", "good"),
        test::by_eager_tunnel("behind the CONNECT", "good.example:443", "good.example", "good"),
        test::by_bytes("HTTP behind the CONNECT",
                       "CONNECT good.example:80 HTTP/1.1\r\nHost: good.example:80\r\n\r\n"
                       "GET / HTTP/1.1\r\nHost: good.example\r\n\r\n",
                       "good"),
        by_tunnel("another case", "good.example:443", "GOOD.Example", "good"),
        by_tunnel("below a wildcard", "a.wild.example:443", "a.wild.example", "good"),
        by_tls("below a wildcard, no proxy", "a.wild.example", 443, "a.wild.example", "good"),
        by_tunnel("an address without a name", "203.0.113.20:443", "", "good"),
        by_tls("a listed address, no proxy", "203.0.113.20", 443, "", "good"),
        by_tcp("a listed address, no proxy, port 80", "203.0.113.20", 80,
               "GET / HTTP/1.1\r\nHost: 203.0.113.20\r\n\r\n", "good"),
        by_tcp("no proxy, port 80", "good.example", 80, "GET / HTTP/1.1\r\nHost: good.example\r\n\r\n", "good"),
    };
    for (std::size_t i = 0; i < 2; ++i)
        for (auto const* const how : {"bytes", "records"}) table.push_back(split(table[i], how));
    check_inside(stage, allowed, table);
}
