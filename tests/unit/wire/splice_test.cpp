#include "wire/splice.hpp"

#include <catch2/catch_test_macros.hpp>

#include <random>

using namespace pfar::wire;

namespace {

std::string_view part(std::string_view text, std::string_view sought) {
    return text.substr(text.find(sought), sought.size());
}

bool taken(std::string_view object, std::initializer_list<std::string_view> once, std::size_t most = 1000) {
    return members_once(object, once, most).has_value();
}

} // namespace

TEST_CASE("only the parts that are edited change, whatever order the edits come in") {
    std::string_view const text = R"({"a": 1 , "b":"x","c":[ ]})";
    CHECK(spliced(text, {}) == text);
    CHECK(spliced(text, {{part(text, "\"x\""), "22"}, {part(text, "1"), "{}"}}) == R"({"a": {} , "b":22,"c":[ ]})");
    CHECK(spliced(text, {{part(text, "1"), ""}}) == R"({"a":  , "b":"x","c":[ ]})");
    CHECK(spliced(text, {{text.substr(1, 0), "_"}}) == R"({_"a": 1 , "b":"x","c":[ ]})");
    CHECK(spliced(text, {{text.substr(0, 0), "<"}, {text.substr(text.size(), 0), ">"}}) ==
          "<" + std::string(text) + ">");
    CHECK(spliced(text, {{text, "all"}}) == "all");
    CHECK(spliced("", {}).empty());
}

TEST_CASE("edits beside each other do not disturb each other") {
    std::string_view const text = "abcd";
    CHECK(spliced(text, {{text.substr(2, 1), "3"}, {text.substr(1, 1), "2"}}) == "a23d");
    CHECK(spliced(text, {{text.substr(0, 2), "x"}, {text.substr(2, 2), "y"}}) == "xy");
}

TEST_CASE("edits of random parts give what cutting and joining gives") {
    std::mt19937 random(7);
    for (int round = 0; round < 500; ++round) {
        std::string text(1 + random() % 60, '.');
        for (auto& c : text) c = static_cast<char>('a' + random() % 26);
        std::vector<Edit> edits;
        std::string expected;
        std::size_t at = 0;
        while (at < text.size()) {
            auto const skip = std::min<std::size_t>(random() % 8, text.size() - at);
            expected += text.substr(at, skip), at += skip;
            auto const cut = std::min<std::size_t>(1 + random() % 4, text.size() - at);
            if (cut == 0) break;
            auto const with = std::string(random() % 5, '#');
            edits.push_back({std::string_view(text).substr(at, cut), with});
            expected += with, at += cut;
        }
        std::shuffle(edits.begin(), edits.end(), random);
        REQUIRE(spliced(text, edits) == expected);
    }
}

TEST_CASE("members come in their order, keys and values as they are written") {
    auto const members = members_once(R"( {"b" : [1, 2], "a":"\u0041", "b":{} } )", {"a"}).value();
    REQUIRE(members.size() == 3);
    CHECK(members[0].key == "b");
    CHECK(members[0].value == "[1, 2]");
    CHECK(members[2].value == "{}");
    CHECK(value_of(members, "a") == R"("\u0041")");
    CHECK(value_of(members, "b") == "[1, 2]");
    CHECK(value_of(members, "none").empty());
    CHECK(members_once("{}", {"a"}).value().empty());
}

TEST_CASE("what must stand there once may not stand there twice, or spelled with escapes") {
    CHECK(taken(R"({"name":1,"other":2,"other":3})", {"name"}));
    CHECK_FALSE(taken(R"({"name":1,"name":1})", {"name"}));
    CHECK_FALSE(taken(R"({"name":1,"n\u0061me":2})", {"name"}));
    CHECK_FALSE(taken(R"({"n\u0061me":1})", {"name"}));
    CHECK_FALSE(taken(R"({"\u006e\u0061\u006d\u0065":1})", {"name"}));
    CHECK_FALSE(taken(R"({"_meta":1,"a":2,"_m\u0065ta":3})", {"a", "_meta"}));
    CHECK(taken(R"({"n\u0061me":1,"n\u0061me":2})", {"other"}));
    CHECK(taken(R"({"x":{"name":1,"name":2}})", {"name"})); // deeper is not looked at
    CHECK(taken(R"({"\ud800":1,"a\\":2})", {"a"}));
    auto const twice = members_once(R"({"name":1,"name":1})", {"name"});
    CHECK(twice.error().code == pfar::Errc::invalid);
    CHECK(twice.error().what.find("\"name\"") != std::string::npos);
}

TEST_CASE("what is no object, or has too many members, has none") {
    for (auto const* const bad : {"", " ", "[]", "[{}]", "null", "7", R"("{}")", "{", R"({"a":1)", R"({"a":1}})",
                                  "{a:1}", R"({"a":1,})", "{\"a\":\"\xff\"}"}) {
        INFO(bad);
        CHECK_FALSE(taken(bad, {"a"}));
    }
    CHECK(taken(R"({"a":1,"b":2})", {}, 2));
    CHECK_FALSE(taken(R"({"a":1,"b":2,"c":3})", {}, 2));
    std::string deep = "{\"a\":";
    for (int i = 0; i < 64; ++i) deep += '[';
    CHECK_FALSE(taken(deep, {}));
}

TEST_CASE("a further member goes behind the last one, or into an empty object") {
    auto const with = [](std::string const& object) {
        return spliced(object, {{end_of_members(object), further_member(object, "k", "1")}});
    };
    CHECK(with("{}") == R"({"k":1})");
    CHECK(with("{ \t\r\n}") == "{ \t\r\n\"k\":1}");
    CHECK(with(R"({"a":{}})") == R"({"a":{},"k":1})");
    CHECK(with(R"({"a":"}"})") == R"({"a":"}","k":1})");
    CHECK(with("{\"a\":1} \n") == "{\"a\":1,\"k\":1} \n");
}

TEST_CASE("a further member goes into an object with space before it, too") {
    std::string const object = " {}";
    CHECK(spliced(object, {{end_of_members(object), further_member(object, "k", "1")}}) == R"( {"k":1})");
}
