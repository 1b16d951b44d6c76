// Names that look like an allowed one, addresses in every spelling, and what a careless reader takes for a name or a port.
#include "egress/attempts.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using namespace std::string_literals;
using test::Attempt;
using test::WorldStage;

namespace {

struct Spelling {
    char const* what;
    std::string text; // without a port
};

// Allowed are good.example and *.wild.example. Well-formed, and not allowed:
std::vector<Spelling> const other_names{
    {"a prefix joined by a dash", "evil-good.example"},
    {"a prefix", "xgood.example"},
    {"a prefix with a dot, below an exact name", "evil.good.example"},
    {"a suffix", "good.example.evil.test"},
    {"a suffix that is joined", "good.examplevil"},
    {"another name", "evil.test"},
    {"the apex of a wildcard", "wild.example"},
    {"the end of a wildcard without its dot", "evilwild.example"},
    {"a wildcard in front of another name", "x.wild.example.evil.test"},
    {"a single label", "good"},
    {"the last label", "example"},
    {"upper case", "EVIL.TEST"},
    {"a dot at the end", "evil.test."},
    {"an A-label that looks like it", "xn--god-tna.example"}, // goöd
    {"localhost", "localhost"},
    {"localhost, upper case and a dot", "LOCALHOST."},
    {"localhost with a domain", "localhost.localdomain"},
    {"below localhost", "good.localhost"},
};

std::vector<Spelling> const addresses{
    {"an address", "203.0.113.66"},
    {"an address with a dot", "203.0.113.66."},
    {"an address in decimal", "3405803842"},
    {"an address in octal", "0313.0.0161.0102"},
    {"an address in hexadecimal", "0xcb.0x0.0x71.0x42"},
    {"an address in one hexadecimal number", "0xcb007142"},
    {"an address with leading zeros", "0313.00.0161.00102"},
    {"an address of three parts", "203.0.28994"},
    {"an address of two parts", "203.28994"},
    {"an address of mixed bases", "0xcb.0.0161.66"},
    {"loopback", "127.0.0.1"},
    {"loopback, short", "127.1"},
    {"loopback in decimal", "2130706433"},
    {"loopback in octal", "017700000001"},
    {"loopback in hexadecimal", "0x7f.1"},
    {"another loopback", "127.9.9.9"},
    {"the unspecified address", "0.0.0.0"},
    {"the unspecified address, short", "0"},
    {"the metadata service", "169.254.169.254"},
    {"the metadata service in decimal", "2852039166"},
    {"a private address", "10.9.8.7"},
    {"a shared address", "100.64.0.9"},
    {"an IPv6 address", "[2001:db8::66]"},
    {"an IPv6 address, upper case and long", "[2001:0DB8:0:0:0:0:0:66]"},
    {"IPv6 loopback", "[::1]"},
    {"IPv6 loopback, long", "[0:0:0:0:0:0:0:1]"},
    {"the unspecified IPv6 address", "[::]"},
    {"a mapped address", "[::ffff:203.0.113.66]"},
    {"a mapped address in hexadecimal", "[::ffff:cb00:7142]"},
    {"mapped loopback", "[::ffff:127.0.0.1]"},
    {"NAT64 of loopback", "[64:ff9b::127.0.0.1]"},
    {"6to4 of loopback", "[2002:7f00:1::1]"},
    {"a unique local address", "[fd00::9]"},
};

std::vector<Spelling> const tricks{
    {"a user in front", "good.example@evil.test"},
    {"a user and a password in front", "good.example:80@evil.test"},
    {"a user in front of an address", "good.example@203.0.113.66"},
    {"a number sign", "evil.test#.good.example"},
    {"a question mark", "evil.test?.good.example"},
    {"a slash", "evil.test/.good.example"},
    {"a backslash", "evil.test\\.good.example"},
    {"a semicolon", "evil.test;.good.example"},
    {"a NUL", "evil.test\0.good.example"s},
    {"%00", "evil.test%00.good.example"},
    {"a percent-coded dot", "evil%2etest"},
    {"a percent-coded at sign", "good.example%40evil.test"},
    {"a TAB", "evil.test\t.good.example"},
    {"an ideographic dot", "evil\xe3\x80\x82test"},
    {"a full-width dot", "evil\xef\xbc\x8etest"},
    {"full-width letters", "\xef\xbd\x85vil.test"},
    {"a scheme in the name", "http://evil.test"},
};

std::vector<Spelling> const ports{
    {"the port of another service", ":22"},
    {"the port of another service, in 17 bits", ":65558"},
    {"a port with a plus", ":+22"},
    {"a port with a zero in front", ":022"},
    {"two ports", ":22:80"},
    {"another port of TLS", ":8443"},
    {"another port of HTTP", ":8080"},
};

void add(std::vector<Attempt>& table, Spelling const& one, std::string const& suffix, std::string const& inside) {
    table.push_back(test::by_connect("CONNECT to "s + one.what, one.text + suffix, inside));
    table.push_back(test::by_absolute("GET from "s + one.what, one.text + suffix, inside));
}

std::vector<std::string> const allowed{"good.example", "*.wild.example"};

} // namespace

TEST_CASE("a name that is not on the list is refused, however it resembles one") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    std::vector<Attempt> table;
    for (auto const& name : other_names) add(table, name, ":80", "403");
    check_attempts(stage, allowed, table);
}

TEST_CASE("an address that is not on the list is refused in every spelling") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    std::vector<Attempt> table;
    for (auto const& address : addresses) add(table, address, ":80", "403");
    check_attempts(stage, allowed, table);
}

TEST_CASE("what is no name of a host is refused, whatever a careless reader would see in it") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    std::vector<Attempt> table;
    for (auto const& trick : tricks) add(table, trick, ":80", "400|403");
    check_attempts(stage, allowed, table);
}

TEST_CASE("an allowed name has only its own ports") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    std::vector<Attempt> table;
    for (auto const& port : ports) add(table, {port.what, "good.example"}, port.text, "400|403");
    check_attempts(stage, allowed, table);
}

TEST_CASE("what is on the list is reached in every spelling of its own") {
    test::World::here();
    WorldStage const stage(GENERATE(from_range(test::settings())));
    CAPTURE(stage.setting());
    std::vector<Attempt> table;
    for (auto const* const text :
         {"good.example:80", "GOOD.example:80", "good.example.:80", "a.wild.example:80", "a.b.wild.example:80",
          "203.0.113.20:80", "[2001:db8::20]:80", "six.example:80", "half-dead.example:80"}) {
        table.push_back(test::by_connect("CONNECT "s + text, text, "good"));
        table.push_back(test::by_absolute("GET "s + text, text, "good"));
    }
    check_inside(
        stage, {"good.example", "*.wild.example", "203.0.113.20", "[2001:db8::20]", "six.example", "half-dead.example"},
        table);
}
