#include "config/source.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar::config;

TEST_CASE("lines are numbered from 1, with or without carriage returns and a last line end") {
    Source const source("a\r\nb\nc");
    CHECK(source.line(1) == "a");
    CHECK(source.line(3) == "c");
    CHECK(source.line(0).empty());
    CHECK(source.line(4).empty());
}

TEST_CASE("only lines that may hold a secret are masked") {
    Source const source("author = \"me\"\n[auth]\nX = \"plain\"\nY = \"vault:y\"\n[env]\nset = { LOG = \"x\" "
                        "}\nMY_PASSWORD = \"x\"\n[tools.auth-log]\na = 1\n");
    CHECK(source.shown(1) == "author = \"me\"");
    CHECK(source.shown(3) == "X = ...");
    CHECK(source.shown(4) == "Y = \"vault:y\"");
    CHECK(source.shown(6) == "set = { LOG = \"x\" }");
    CHECK(source.shown(7) == "MY_PASSWORD = ...");
}

TEST_CASE("a line taken out keeps the numbers of the others") {
    auto const source = Source("a\nbb\nc\n").without(2, 2);
    CHECK(source.line(2) == "  ");
    CHECK(source.line(3) == "c");
}
