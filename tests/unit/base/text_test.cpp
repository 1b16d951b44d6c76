#include "base/text.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;

TEST_CASE("what could act on a terminal or reorder a line is shown as an escape") {
    CHECK(base::printable("plain café ✓") == "plain café ✓");
    CHECK(base::printable("\x1b[2J") == "\\u001b[2J");
    CHECK(base::printable("a\rb\x7f") == "a\\u000db\\u007f");
    CHECK(base::printable("\xc2\x9b") == "\\u009b");                               // a C1 control
    CHECK(base::printable("\xe2\x80\xae") == "\\u202e");                           // right-to-left override
    CHECK(base::printable("\xff\xc3") == "\\xff\\xc3");                            // not UTF-8
    CHECK(base::printable("\xc0\xaf\xed\xa0\x80") == "\\xc0\\xaf\\xed\\xa0\\x80"); // overlong, surrogate
    CHECK(base::printable(std::string_view("a\0b", 3)) == "a\\u0000b");
}

TEST_CASE("the nearest word is found for slips, and none for something else") {
    std::vector<std::string_view> const words{"check", "plugins", "trust", "completion"};
    CHECK(base::nearest("chekc", words) == "check");
    CHECK(base::nearest("plugin", words) == "plugins");
    CHECK(base::nearest("compl", words) == "completion");
    CHECK_FALSE(base::nearest("zzzzz", words));
    CHECK_FALSE(base::nearest("", words));
    CHECK_FALSE(base::nearest(std::string(100000, 'x'), words));
}

TEST_CASE("words are listed as in a sentence") {
    CHECK(base::listed({}) == "");
    CHECK(base::listed({"a"}) == "a");
    CHECK(base::listed({"a", "b", "c"}, "or") == "a, b or c");
}
