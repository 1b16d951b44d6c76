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

TEST_CASE("a line is shown whole only if none of its values can be a secret") {
    Source const source("label = \"x\"\n[auth]\nX = \"plain\"\nlabel = \"plain\"\n[server] # here\nargs = "
                        "[\"--token\", \"plain\"]\ncommand = \"u@h\"\ncode = [\n  \"/opt\",\n]\n[auth] Y = "
                        "\"plain\"\nplain\n# plain\nfs = [{ path = \"~/a\", read = true }]\n");
    CHECK(source.shown(1) == "label = \"x\"");
    CHECK(source.shown(2) == "[auth]");
    CHECK(source.shown(3) == "X = ...");
    CHECK(source.shown(4) == "label = ...");
    CHECK(source.shown(5) == "[server]");
    CHECK(source.shown(6) == "args = ...");
    CHECK(source.shown(7) == "command = ...");
    CHECK(source.shown(9) == "  \"/opt\",");
    CHECK(source.shown(11) == "...");
    CHECK(source.shown(12) == "...");
    CHECK(source.shown(13) == "...");
    CHECK(source.shown(14) == "fs = [{ path = \"~/a\", read = true }]");
}

TEST_CASE("a line taken out keeps the numbers of the others") {
    auto const source = Source("a\nbb\nc\n").without(2, 2);
    CHECK(source.line(2) == "  ");
    CHECK(source.line(3) == "c");
}
