#include "config/values.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar::config;
using namespace std::chrono_literals;

TEST_CASE("sizes are whole numbers in powers of 1024") {
    CHECK(parse_size("256m").value() == 256U << 20U);
    CHECK(parse_size("1G").value() == 1U << 30U);
    CHECK(parse_size("4096").value() == 4096);
    CHECK(parse_size("64KiB").value() == 65536);
    for (auto const* const text : {"", "m", "0", "0m", "-1m", "1.5g", "1 g", "1t", "1mm", "18446744073709551615g",
                                   "99999999999999999999", "0x10"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_size(text));
    }
}

TEST_CASE("durations need a unit, but for 0") {
    CHECK(parse_duration("30s").value() == 30s);
    CHECK(parse_duration("10m").value() == 10min);
    CHECK(parse_duration("250ms").value() == 250ms);
    CHECK(parse_duration("2d").value() == 48h);
    CHECK(parse_duration("0").value() == 0s);
    for (auto const* const text : {"", "30", "s", "-5s", "1.5h", "9999999999d", "18446744073709551615ms"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_duration(text));
    }
}

TEST_CASE("names are what they may be") {
    for (auto const* const text : {"a", "0", "notion", "a-b", "12345678901234567890"}) CHECK(parse_server_name(text));
    for (auto const* const text : {"", "-a", "A", "a_b", "a.b", "a/b", "../a", "123456789012345678901", "\xc3\xa4"})
        CHECK_FALSE(parse_server_name(text));
    CHECK(parse_variable("A_1"));
    for (auto const* const text : {"", "1A", "A-B", "A=B", "A B"}) CHECK_FALSE(parse_variable(text));
    CHECK_FALSE(parse_variable(std::string_view("A\0B", 3)));
    CHECK(parse_entry_name("a.b-c_D"));
    for (auto const* const text : {"", "a/b", "a b"}) CHECK_FALSE(parse_entry_name(text));
}
