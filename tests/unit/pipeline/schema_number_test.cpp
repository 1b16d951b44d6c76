// Numbers beside an oracle that needs no digits: fractions of whole numbers.
#include "pipeline/schema_number.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <random>

using namespace pfar::pipeline::schemas;

namespace {

/// value / 10^places, written in one of the ways there are.
std::string written(long value, unsigned places, unsigned way) {
    auto digits = std::to_string(std::abs(value));
    auto const* const sign = value < 0 ? "-" : "";
    if (way == 0) return fmt::format("{}{}e-{}", sign, digits, places);
    if (way == 1) return fmt::format("{}{}.000E{}", sign, digits, -static_cast<int>(places));
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    digits.insert(digits.size() - places, ".");
    return sign + digits + "0";
}

long power(unsigned exponent) {
    return exponent == 0 ? 1 : 10 * power(exponent - 1);
}

} // namespace

TEST_CASE("numbers are compared, divided and told from integers exactly") {
    std::mt19937 random(20261118);
    for (int i = 0; i < 20'000; ++i) {
        auto const below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
        auto const a = static_cast<long>(below(20'000)) - 10'000, b = static_cast<long>(below(20'000)) - 10'000;
        auto const p = below(5), q = below(5);
        auto const x = written(a, p, below(3)), y = written(b, q, below(3));
        auto const left = a * power(4 - p), right = b * power(4 - q); // both by 10^4
        CAPTURE(x, y);
        int const order = left < right ? -1 : static_cast<int>(left > right);
        auto const found = compare(x, y);
        bool good = (found < 0 ? -1 : static_cast<int>(found > 0)) == order && is_integer(x) == (left % 10'000 == 0);
        if (right > 0) good = good && may_divide(y) && is_multiple(x, y) == (left % right == 0);
        if (order == 0) good = good && hash_of_number(x) == hash_of_number(y);
        if (!good) REQUIRE(good); // counted once, not 20,000 times
    }
    SUCCEED();
}

TEST_CASE("numbers of any size are told apart") {
    CHECK(compare("1e400", "1e401") < 0);
    CHECK(compare("-1e400", "1") < 0);
    CHECK(compare("123456789012345678901234567890", "123456789012345678901234567891") < 0);
    CHECK(compare("1e30", "1000000000000000000000000000000.0") == 0);
    CHECK(compare("0", "-0.0e10") == 0);
    CHECK(compare("9223372036854775808", "9223372036854775807") > 0);
    CHECK(compare("1e-400", "0") > 0);
    CHECK(is_multiple("1e100", "2"));
    CHECK_FALSE(is_multiple("1e100", "3"));
    CHECK(is_multiple("999999999999999999e50", "999999999999999999"));
    CHECK_FALSE(may_divide("1234567890123456789"));
    CHECK_FALSE(may_divide("0"));
    CHECK_FALSE(may_divide("-1"));
    CHECK(may_divide("1e-300"));
}
