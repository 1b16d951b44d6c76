#include "wire/json_text.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar::wire;
using Texts = std::vector<std::string_view>;

TEST_CASE("a member is found as it is written, and only in the outermost object") {
    CHECK(member_of(R"({"a":{"b":1},"b": [1, 2] })", "b") == "[1, 2]");
    CHECK(member_of(R"({"a":{"b":1}})", "b").empty());
    CHECK(member_of(R"({"b":1,"b":2})", "b") == "2");
    for (auto const* const none : {"", "[]", "null", R"("b")", R"({"b":1)", R"({"b":1}x)", "{b:1}"})
        CHECK(member_of(none, "b").empty());
}

TEST_CASE("the elements of a list are texts, at most so many of them") {
    CHECK(elements_of(R"([1,"a,b",[2,3],{"x":[4]}])", 10) == Texts{"1", R"("a,b")", "[2,3]", R"({"x":[4]})"});
    CHECK(elements_of("[1,2,3]", 2) == Texts{"1", "2"});
    CHECK(elements_of("[]", 2).empty());
    CHECK(elements_of("{}", 2).empty());
    CHECK(elements_of("", 2).empty());
}

TEST_CASE("a number is whole and not negative, or none") {
    CHECK(number_in("0") == 0);
    CHECK(number_in("18446744073709551615") == 18446744073709551615U);
    for (auto const* const none : {"", "-1", "1.0", "1e3", "18446744073709551616", "\"1\"", " 1", "1 "})
        CHECK_FALSE(number_in(none));
}

TEST_CASE("a string is decoded, and anything else is empty") {
    CHECK(string_in(R"("a\"b\u0041")") == "a\"bA");
    for (auto const* const none : {"", "1", "{}", R"("open)"}) CHECK(string_in(none).empty());
    CHECK(string_in(R"("a\ud800")") == "a\xef\xbf\xbd"); // half a pair
}

TEST_CASE("an error's words are safe to show and bounded") {
    CHECK(error_words(R"({"code":-32601,"message":"no such method"})") == "no such method (-32601)");
    CHECK(error_words(R"({"message":"a\u001b[31m\nb"})") == "a\\u001b[31m\\u000ab");
    CHECK(error_words(R"({"code":1})") == "an error without words (1)");
    CHECK(error_words(R"({"code":1,"message":{}})") == "an error without words (1)");
    CHECK(error_words("") == "an error without words");
    CHECK(error_words(R"({"code":)" + std::string(500, '7') + R"(,"message":")" + std::string(1 << 20, 'x') + "\"}")
              .size() < 1100);
}

TEST_CASE("a path becomes a URI in which every byte that is not plain is escaped") {
    CHECK(file_uri("/a b/c%d/\xc3\xa4?#") == "file:///a%20b/c%25d/%C3%A4%3F%23");
    CHECK(file_uri("/plain-._~/09azAZ") == "file:///plain-._~/09azAZ");
}
