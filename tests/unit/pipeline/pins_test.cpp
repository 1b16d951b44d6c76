#include "pipeline/pins.hpp"

#include "pipeline/offer.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

using pfar::pipeline::Pins;

TEST_CASE("before the first discovery there is nothing, and that is no trouble") {
    test::TempDir const dir;
    auto const pins = Pins::read(dir / "fs.pins.json");
    CHECK(pins.fresh());
    CHECK(pins.trouble().empty());
    CHECK_FALSE(pins.knows("a"));
    CHECK_FALSE(pins.has("a", ""));
    CHECK(pins.text_of("a").empty());
}

TEST_CASE("what was agreed to is there again after a restart, with its text") {
    test::TempDir const dir;
    auto pins = Pins::read(dir / "fs.pins.json");
    pins.agree("read", "11", R"({"name":"read"})");
    pins.agree("write", "22", R"({"name":"write"})");
    REQUIRE(pins.keep());
    CHECK_FALSE(pins.fresh());
    auto again = Pins::read(dir / "fs.pins.json");
    CHECK_FALSE(again.fresh());
    CHECK(again.has("read", "11"));
    CHECK_FALSE(again.has("read", "22"));
    CHECK_FALSE(again.has("read", ""));
    CHECK(again.text_of("write") == R"({"name":"write"})");
    again.agree("read", "33", R"({"name":"read","v":2})");
    CHECK(again.text_of("read") == R"({"name":"read"})"); // what it was, until it is kept
    REQUIRE(again.keep());
    CHECK(again.text_of("read") == R"({"name":"read","v":2})");
    CHECK(again.text_of("write") == R"({"name":"write"})"); // carried over from the file
    CHECK(std::filesystem::status(dir / "fs.pins.json").permissions() == std::filesystem::perms(0600));
}

TEST_CASE("a server without tools has been discovered too") {
    test::TempDir const dir;
    auto pins = Pins::read(dir / "fs.pins.json");
    REQUIRE(pins.keep());
    auto const again = Pins::read(dir / "fs.pins.json");
    CHECK_FALSE(again.fresh());
    CHECK(again.trouble().empty());
    CHECK(again.digests().empty());
}

TEST_CASE("what is forgotten is gone from the file, and its text with it") {
    test::TempDir const dir;
    auto pins = Pins::read(dir / "fs.pins.json");
    pins.agree("a", "1", "{}"), pins.agree("b", "2", "{}");
    REQUIRE(pins.keep());
    pins.forget("a"), pins.forget("nobody");
    CHECK_FALSE(pins.knows("a"));
    REQUIRE(pins.keep());
    CHECK(Pins::read(dir / "fs.pins.json").digests().size() == 1);
    CHECK(test::read(dir / "fs.pins.json").find("\"a\"") == std::string::npos);
}

TEST_CASE("a damaged file agrees to nothing, is not taken for a first discovery, and says so") {
    test::TempDir const dir;
    for (auto const* const text :
         {"", "{", R"({"read":{"pin":"11"})", "\xff\xfe", "{}{}", R"({"read":{"pin":"11"},})"}) {
        auto const file = dir.write("fs.pins.json", text);
        auto const pins = Pins::read(file);
        INFO(text);
        CHECK_FALSE(pins.fresh());
        CHECK_FALSE(pins.trouble().empty());
        CHECK(pins.digests().empty());
        CHECK_FALSE(pins.has("read", "11"));
    }
    std::filesystem::create_directory(dir / "directory");
    auto const directory = Pins::read(dir / "directory");
    CHECK_FALSE(directory.fresh());
    CHECK_FALSE(directory.trouble().empty());
}

TEST_CASE("a file of other JSON agrees to nothing") {
    test::TempDir const dir;
    for (auto const* const text :
         {"[]", "null", R"(["read"])", R"({"read":"11"})", R"({"read":{"pin":11}})", R"({"read":{}})"}) {
        auto const pins = Pins::read(dir.write("fs.pins.json", text));
        INFO(text);
        CHECK_FALSE(pins.fresh());
        CHECK_FALSE(pins.has("read", "11"));
    }
}

TEST_CASE("a file that is no object at all is damaged, and says so") {
    test::TempDir const dir;
    for (auto const* const text : {"[]", "null", "7"})
        CHECK_FALSE(Pins::read(dir.write("fs.pins.json", text)).trouble().empty());
}

TEST_CASE("a damaged file can be agreed to anew") {
    test::TempDir const dir;
    auto pins = Pins::read(dir.write("fs.pins.json", "{broken"));
    pins.agree("a", "1", R"({"name":"a"})");
    REQUIRE(pins.keep());
    CHECK(pins.trouble().empty());
    auto const again = Pins::read(dir / "fs.pins.json");
    CHECK(again.has("a", "1"));
    CHECK(again.text_of("a") == R"({"name":"a"})");
}

TEST_CASE("a file that cannot be written is an error, and what was agreed to is not lost in memory") {
    test::TempDir const dir;
    auto pins = Pins::read(dir / "absent" / "fs.pins.json");
    pins.agree("a", "1", "{}");
    CHECK_FALSE(pins.keep());
    CHECK(pins.has("a", "1"));
}

TEST_CASE("odd names come back as they were") {
    test::TempDir const dir;
    std::vector<std::string> const names{"\"quoted\"",
                                         "back\\slash",
                                         "new\nline",
                                         "\xc3\xbc\xf0\x9f\x98\x80",
                                         "__proto__",
                                         "constructor",
                                         "a\x01z",
                                         std::string("nul\0nul", 7),
                                         " ",
                                         "pin",
                                         "tool",
                                         "</script>",
                                         std::string(5000, 'x')};
    auto pins = Pins::read(dir / "fs.pins.json");
    for (auto const& name : names) pins.agree(name, "digest of " + name, R"({"n":1})");
    REQUIRE(pins.keep());
    auto const again = Pins::read(dir / "fs.pins.json");
    CHECK(again.trouble().empty());
    CHECK(again.digests() == pins.digests());
    for (auto const& name : names) CHECK(again.text_of(name) == R"({"n":1})");
}

TEST_CASE("a text that is not known is empty, also after it was kept") {
    test::TempDir const dir;
    auto pins = Pins::read(dir / "fs.pins.json");
    pins.agree("a", "1", "");
    REQUIRE(pins.keep());
    CHECK(Pins::read(dir / "fs.pins.json").text_of("a").empty());
}

TEST_CASE("the texts that tools are pinned by go into the file whole") {
    test::TempDir const dir;
    auto const text = pfar::pipeline::pinned_text(
        R"({"name":"\u0000\"x","description":"line\nline \u2028","inputSchema":{"maximum":1e308,"b":1,"a":[{}]}})");
    auto pins = Pins::read(dir / "fs.pins.json");
    pins.agree("x", "1", text);
    REQUIRE(pins.keep());
    CHECK(Pins::read(dir / "fs.pins.json").text_of("x") == text);
}
