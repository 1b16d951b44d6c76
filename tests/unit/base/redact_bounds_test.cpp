// Linear for every text and every set of secrets: counted in bytes looked at, lookups and comparisons, not in time.
#include "base/redact_finder.hpp"

#include "unit/base/redact_reference.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;

namespace {

std::string repeated(std::string_view unit, std::size_t size) {
    std::string out;
    while (out.size() < size) out += unit;
    return out.substr(0, size);
}

base::redaction::Finder finder_for(std::vector<std::string> const& values) {
    base::redaction::Finder finder;
    for (std::size_t i = 0; i < values.size(); ++i) finder.add(values[i], i);
    finder.seal();
    return finder;
}

std::vector<std::string> units(std::vector<std::string> const& values) {
    std::vector<std::string> all{
        "a", "%61", "\\u0061", "\\", "\\\\u0061", "%", "%6", "\n", "YWFhYWFhYWFhYWFhYWFhYWFh\n  ", "\\u0025"};
    for (auto const& value : {values.front(), values.back()}) {
        all.push_back(value.substr(0, value.size() - 1));
        all.push_back(value);
        all.push_back(value.substr(0, 8));
        all.push_back(test::base64(value).substr(0, 12));
        all.push_back("%6" + value.substr(0, 9));
    }
    return all;
}

void check(std::vector<std::string> const& values, std::size_t per_byte) {
    auto const finder = finder_for(values);
    for (auto const& unit : units(values)) {
        constexpr std::size_t small = 40000;
        auto const once = finder.find(repeated(unit, small), false).work;
        auto const four = finder.find(repeated(unit, 4 * small), false).work;
        INFO(unit.substr(0, 100) << " " << once << " " << four);
        CHECK(once < per_byte * small);
        CHECK(four < once * 5);
    }
}

} // namespace

TEST_CASE("work grows with the text, for ordinary secrets") {
    test::Random random(5);
    std::vector<std::string> values;
    for (int i = 0; i < 50; ++i) values.push_back(random.text("abcdefghijklmnopqrstuvwxyz0123456789", 40));
    check(values, 40);
}

TEST_CASE("work grows with the text, for secrets that are all prefixes, suffixes or repetitions of each other") {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < 8; ++i) {
        values.push_back(std::string(8 + i, 'a') + "b");
        values.push_back(std::string(8 + i, 'a'));
        values.push_back("b" + std::string(8 + i, 'a'));
    }
    check(values, 40 + 30 * values.size()); // so many begin with the same 8 bytes, in many views
}

TEST_CASE("work grows with the text, for a secret of 20000 bytes that is nearly everywhere") {
    check({std::string(20000, 'a') + "b", repeated("ab%61", 20000) + "c"}, 100);
}

TEST_CASE("secrets of 1 MiB are learnt in memory that does not grow with them, and found") {
    test::Random random(6);
    base::redaction::Finder finder;
    auto const value = random.text("abcdefghijklmnopqrstuvwxyz/", std::size_t{1} << 20U);
    finder.add(value, 0);
    finder.seal();
    auto const text = "x" + value + "y" + value.substr(1) + value.substr(0, 1000);
    auto found = finder.find(text, false);
    CHECK(found.work < 60 * text.size());
    auto const places = std::move(found).merged();
    REQUIRE(places.size() == 1);
    CHECK(places[0].begin == 1);
    CHECK(places[0].end == 1 + value.size());
}
