#include "base/surrogates.hpp"

#include <catch2/catch_test_macros.hpp>

using pfar::base::with_whole_pairs;

TEST_CASE("halves of pairs become U+FFFD, and nothing else changes") {
    for (auto const* const whole :
         {"", "{}", R"("\ud83d\ude00")", R"("\\ud800")", R"("\\\\uDC00 \n\"")", R"("\u00e9\uD83D\uDE00")", R"("\)"})
        CHECK_FALSE(with_whole_pairs(whole));
    CHECK(with_whole_pairs(R"("\ud800")") == R"("\ufffd")");
    CHECK(with_whole_pairs(R"("a\uDC00b")") == R"("a\ufffdb")");
    CHECK(with_whole_pairs(R"("\ud800\ud83d\ude00")") == R"("\ufffd\ud83d\ude00")");
    CHECK(with_whole_pairs(R"("\\\ud800\\ud800")") == R"("\\\ufffd\\ud800")");
    CHECK(with_whole_pairs(R"("\ud800\n\u0041")") == R"("\ufffd\n\u0041")");
    CHECK(with_whole_pairs(R"("\ud8)") == std::nullopt);
}
