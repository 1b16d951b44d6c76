#include "config/domain_rule.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar::config;

namespace {

DomainRule rule(char const* text) {
    return parse_domain(text).value();
}

} // namespace

TEST_CASE("a domain is kept in canonical form") {
    CHECK(rule("API.Example.COM.").host == "api.example.com");
    CHECK(rule("*.example.com").subdomains);
    CHECK(rule("db.example.com:5432").port == 5432);
    CHECK(rule("[2001:db8::1]:443").address);
    CHECK(rule("192.0.2.1").address);
    CHECK(rule("*.B\xc3\xbc"
               "cher.example:8443")
              .host == "xn--bcher-kva.example");
    for (auto const* const text :
         {"api.example.com", "*.example.com:8443", "[2001:db8::1]:443", "_dmarc.example.com", "localhost"})
        CHECK(to_text(rule(text)) == text);
}

TEST_CASE("what could be read in two ways is no domain") {
    for (auto const* const text :
         {"",           ".",         "..",         "a..b",        "*",          "*.",         "**.a.com",
          "a.com:",     "a.com:+80", "a.com:080x", "a.com:65536", "1.2.3",      "0x7f000001", "017700000001",
          "127.0.0.1.", "1.2.3.4.5", "[::1",       "::1]",        "[::1%eth0]", "[1.2.3.4]",  "a b.com",
          "a\tb.com",   "-a.com",    "a-.com",     "a.com/",      "a@b.com",    "%61.com",    "a.com\n"}) {
        CAPTURE(text);
        if (std::string_view(text) == "127.0.0.1.")
            CHECK(rule(text).host == "127.0.0.1");
        else
            CHECK_FALSE(parse_domain(text));
    }
    CHECK_FALSE(parse_domain(std::string_view("a\0b.com", 7)));
    CHECK_FALSE(parse_domain(std::string_view("[::1\0x]", 7)));
    CHECK(rule("[2001:DB8:0::1]") == rule("[2001:db8::1]"));
}

TEST_CASE("a rule covers what it allows and nothing more") {
    CHECK(covers(rule("*.example.com"), rule("a.b.example.com")));
    CHECK(covers(rule("*.example.com"), rule("*.b.example.com")));
    CHECK_FALSE(covers(rule("*.example.com"), rule("example.com")));
    CHECK_FALSE(covers(rule("*.example.com"), rule("badexample.com")));
    CHECK_FALSE(covers(rule("api.example.com"), rule("*.api.example.com")));
    CHECK(covers(rule("api.example.com"), rule("api.example.com:443")));
    CHECK_FALSE(covers(rule("api.example.com"), rule("api.example.com:8443")));
    CHECK_FALSE(covers(rule("api.example.com:443"), rule("api.example.com")));
}
