#include "config/document.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar::config;

TEST_CASE("several broken lines are all reported, and the rest is read") {
    auto const document = read_document(Source("a = x\nb = 1\nc = y\nd = 2\n"));
    CHECK(document.mistakes.size() == 2);
    CHECK(document.root.size() == 2);
    CHECK_FALSE(document.whole);
}

TEST_CASE("a file of nothing but broken lines ends after a bounded number of mistakes") {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += "broken\n";
    CHECK(read_document(Source(text)).mistakes.size() <= 20);
}

TEST_CASE("a key of half a million parts is a mistake and no stack overflow") {
    std::string deep = "a";
    for (int i = 0; i < 500000; ++i) deep += ".a";
    for (auto const& text : {deep + " = 1", "[" + deep + "]", "x = { " + deep + " = 1 }"}) {
        auto const document = read_document(Source(text));
        REQUIRE(document.mistakes.size() == 1);
        CHECK(document.root.empty());
    }
}

TEST_CASE("a deep key that comes to light when a broken line is left out is found too") {
    std::string deep = "a";
    for (int i = 0; i < 500000; ++i) deep += ".a";
    for (std::string const quotes : {"\"\"\"", "\'\'\'"})
        CHECK(read_document(Source("x = " + quotes + "\x01\n" + deep + " = 1\n")).root.empty());
}

TEST_CASE("quotes at the end of a long string do not hide a deep key behind it") {
    std::string deep = "a";
    for (int i = 0; i < 500000; ++i) deep += ".a";
    for (std::string const text :
         {"\"\"\"a\"\"\"\"", "\"\"\"a\"\"\"\"\"", "\'\'\'a\'\'\'\'", "\"\"\"a\\\"\"\"\"", "\"\""})
        CHECK(read_document(Source("x = { y = " + text + ", " + deep + " = 1 }")).root.empty());
}

TEST_CASE("deeply nested values are a mistake and no stack overflow") {
    CHECK_FALSE(read_document(Source("x = " + std::string(100000, '['))).mistakes.empty());
}

TEST_CASE("dots in strings and comments are no keys") {
    CHECK(read_document(Source("x = \"................................\"\n# ................................\ny = "
                               "'''\n....................\n'''\n"))
              .mistakes.empty());
}

TEST_CASE("values are written back as TOML that reads the same") {
    auto const text = R"(x = [{ path = "~/a \"b\"", read = true }, 1, 1.5, "\u0001"])";
    auto const document = read_document(Source(text));
    REQUIRE(document.mistakes.empty());
    auto const again = "x = " + to_toml(document.root[0].value);
    CHECK(to_toml(read_document(Source(again)).root[0].value) == to_toml(document.root[0].value));
    CHECK(again == text);
}
