// What is JSON and what is not, by tables; where the outermost parts stand.
#include "wire/scan.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using pfar::wire::scan;
using pfar::wire::ScanTask;
using namespace std::string_literals;

namespace {

bool is_json(std::string_view text) {
    return scan(text, {});
}

std::string nested(unsigned depth, std::string const& open, std::string const& close) {
    std::string out;
    for (unsigned i = 0; i < depth; ++i) out += open;
    out += "1";
    for (unsigned i = 0; i < depth; ++i) out += close;
    return out;
}

} // namespace

TEST_CASE("JSON texts are taken") {
    for (std::string const& text : {R"(1)"s,
                                    R"(0)"s,
                                    R"(-0)"s,
                                    R"(-1.5e+10)"s,
                                    R"(1E-2)"s,
                                    R"(0.0)"s,
                                    R"("")"s,
                                    R"("a")"s,
                                    R"(true)"s,
                                    R"(false)"s,
                                    R"(null)"s,
                                    R"([])"s,
                                    R"({})"s,
                                    R"( [ 1 , 2 ] )"s,
                                    "{\t\"a\"\r:\n1 }"s,
                                    R"({"a":{"b":[{}]}})"s,
                                    R"("\"\\\/\b\f\n\r\t")"s,
                                    R"("\u0000\uFFFF\uabCD")"s,
                                    R"("\ud83d\ude00")"s,
                                    "\"\x7f\""s,
                                    "\"é€😀\""s,
                                    R"(123456789012345678901234567890123456789)"s,
                                    R"(1e400)"s,
                                    "\"\xf4\x8f\xbf\xbf\""s,
                                    R"({"a":1,"a":2})"s}) {
        CAPTURE(text);
        CHECK(is_json(text));
    }
}

TEST_CASE("what is no JSON is refused") {
    for (std::string const& text : {""s,
                                    " "s,
                                    "{"s,
                                    "}"s,
                                    "["s,
                                    "]"s,
                                    "[1"s,
                                    "[1,"s,
                                    "[1,]"s,
                                    "[,1]"s,
                                    "{,}"s,
                                    R"({"a"})"s,
                                    R"({"a":})"s,
                                    R"({"a":1,})"s,
                                    R"({a:1})"s,
                                    R"({1:1})"s,
                                    R"({'a':1})"s,
                                    "01"s,
                                    "-"s,
                                    "+1"s,
                                    "1."s,
                                    ".5"s,
                                    "1e"s,
                                    "1e+"s,
                                    "--1"s,
                                    "0x10"s,
                                    "1_0"s,
                                    "NaN"s,
                                    "Infinity"s,
                                    "-Infinity"s,
                                    "tru"s,
                                    "True"s,
                                    "nul"s,
                                    "truefalse"s,
                                    "1 2"s,
                                    "{}{}"s,
                                    "[]]"s,
                                    "\""s,
                                    "\"a"s,
                                    "\"\\\""s,
                                    R"("\x")"s,
                                    R"("\u12")"s,
                                    R"("\u12G4")"s,
                                    "\"\\u123"s,
                                    "\"\n\""s,
                                    "\"\t\""s,
                                    "\"\0\""s,
                                    "\0"s,
                                    "1\0"s,
                                    "{}\0"s,
                                    "\xef\xbb\xbf{}"s,
                                    "// a\n1"s,
                                    "/* a */1"s,
                                    "\v1"s,
                                    "\f1"s,
                                    "\xa0"s}) {
        CAPTURE(text);
        CHECK_FALSE(is_json(text));
    }
}

TEST_CASE("broken UTF-8 is refused wherever it stands") {
    for (std::string const& bytes : {"\x80"s,
                                     "\xbf"s,
                                     "\xc0\xaf"s,
                                     "\xc1\x81"s,
                                     "\xc3"s,
                                     "\xc3("s,
                                     "\xe0\x80\x80"s,
                                     "\xe0\x9f\xbf"s,
                                     "\xe2\x82"s,
                                     "\xe2(\xa1"s,
                                     "\xed\xa0\x80"s,
                                     "\xed\xbf\xbf"s,
                                     "\xf0\x80\x80\x80"s,
                                     "\xf0\x8f\xbf\xbf"s,
                                     "\xf0\x9f\x98"s,
                                     "\xf4\x90\x80\x80"s,
                                     "\xf5\x80\x80\x80"s,
                                     "\xf8\x88\x80\x80\x80"s,
                                     "\xff"s,
                                     "\xfe"s}) {
        CAPTURE(bytes);
        CHECK_FALSE(is_json("\"" + bytes + "\""));
        CHECK_FALSE(is_json("{\"" + bytes + "\":1}"));
        CHECK_FALSE(is_json("[1" + bytes + "]"));
        CHECK_FALSE(is_json("\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" + bytes + "aaaaaaaaaaaaaaaaaaaa\""));
    }
}

TEST_CASE("64 levels are taken and 65 are not") {
    CHECK(is_json(nested(64, "[", "]")));
    CHECK_FALSE(is_json(nested(65, "[", "]")));
    CHECK(is_json(nested(64, R"({"a":)", "}")));
    CHECK_FALSE(is_json(nested(65, R"({"a":)", "}")));
    CHECK_FALSE(is_json(std::string(10'000'000, '[')));
    CHECK_FALSE(is_json(nested(1'000'000, R"([{"a":)", "}]")));
}

TEST_CASE("members of the outermost object are told as they are written, and nobody else's") {
    std::vector<std::string> told;
    ScanTask task;
    task.member = [&](std::string_view key, std::string_view value) {
        told.push_back(std::string(key) + "=" + std::string(value));
        return true;
    };
    CHECK(scan(R"( { "a" : {"b": 1} , "a\n":[ {"c":2} ], "":"x" , "n" : -1.0e5 } )", task));
    CHECK(told == std::vector<std::string>{R"(a={"b": 1})", R"(a\n=[ {"c":2} ])", R"(="x")", "n=-1.0e5"});
    told.clear();
    CHECK(scan(R"([{"a":1}])", task));
    CHECK(told.empty());
}

TEST_CASE("who hears may end the scan") {
    int told = 0;
    ScanTask task;
    task.member = [&](auto, auto) { return ++told < 2; };
    task.element = [&](auto) { return ++told < 2; };
    CHECK_FALSE(scan(R"({"a":1,"b":2,"c":3})", task));
    CHECK(told == 2);
    told = 0;
    CHECK_FALSE(scan("[1,2,3]", task));
    CHECK(told == 2);
}
