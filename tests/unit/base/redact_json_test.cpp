#include "unit/base/redact_reference.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

using namespace pfar;
namespace json = boost::json;

namespace {

test::Secrets const secrets{{"key", "pa\"ss/w\\ord"},
                            {"pin", "1234567890"},
                            {"nkey", "nabcdefgh"},
                            {"cafe", "caf\xc3\xa9-\xf0\x9f\x98\x80-key"}};

std::string redacted(std::string_view text) {
    return test::redactor_for(secrets).redact_json(text).value_or("unchanged");
}

std::string quoted(std::string_view text, test::Choices& choices) {
    return fmt::format("\"{}\"", test::json_escaped(text, choices));
}

std::string some_text(test::Choices& choices) {
    auto out = choices.text("ab \"\\\n:,{}[]%", choices.below(6));
    if (choices.below(3) == 0) out += test::written(secrets[choices.below(2)].second, choices);
    return out + choices.text("xy \"\\/", choices.below(6));
}

std::string some_json(test::Choices& choices, int depth) {
    switch (choices.below(depth > 3 ? 3 : 5)) {
    case 0:
        return choices.below(2) == 0 ? "null" : " true ";
    case 1:
        return choices.below(3) == 0 ? "-1234567890.5e1" : fmt::format("{}", choices.below(100));
    case 2:
        return quoted(some_text(choices), choices);
    case 3: {
        std::string out = "[";
        for (auto count = choices.below(4); count != 0; --count)
            out += some_json(choices, depth + 1) + (count > 1 ? ", " : "");
        return out + "]";
    }
    default: {
        std::string out = "{\n";
        for (auto count = choices.below(4); count != 0; --count)
            out += quoted(fmt::format("{} {}", count, some_text(choices)), choices) + ":" +
                   some_json(choices, depth + 1) + (count > 1 ? "," : "");
        return out + "}";
    }
    }
}

/// Everything but the strings; numbers count as such, because they may become some.
std::string shape(json::value const& value) {
    std::string out;
    if (auto const* const list = value.if_array()) {
        for (auto const& one : *list) out += shape(one) + ",";
        return "[" + out + "]";
    }
    if (auto const* const object = value.if_object()) {
        for (auto const& member : *object) out += shape(member.value()) + ";";
        return "{" + out + "}";
    }
    return value.is_null() ? "n" : value.is_bool() ? "b" : "s";
}

void check_strings(json::value const& value) {
    if (auto const* const text = value.if_string()) CHECK_FALSE(test::has_leak(*text, secrets));
    if (auto const* const list = value.if_array())
        for (auto const& one : *list) check_strings(one);
    if (auto const* const object = value.if_object())
        for (auto const& member : *object) {
            CHECK_FALSE(test::has_leak(member.key(), secrets));
            check_strings(member.value());
        }
}

} // namespace

TEST_CASE("strings and keys are judged as decoded, and everything else stays byte for byte") {
    CHECK(redacted(R"( {"a" : "x pa\"ss/w\\ord y\u0041", "pa\u0022ss\/w\\ord":1.50} )") ==
          R"( {"a" : "x [redacted:key] y\u0041", "[redacted:key]":1.50} )");
    CHECK(redacted(R"(["caf\u00e9-\ud83d\ude00-key","caf)"
                   "\xc3\xa9-\xf0\x9f\x98\x80"
                   R"(-key"])") == R"(["[redacted:cafe]","[redacted:cafe]"])");
    CHECK(redacted(R"("pa%22ss%2Fw%5Cord \u0070a\u002522ss%2Fw%5cord")") == R"("[redacted:key] [redacted:key]")");
    CHECK(redacted("{\"a\":1}\n{\"b\":\"1234567890\"}\n") == "{\"a\":1}\n{\"b\":\"[redacted:pin]\"}\n");
    auto const* const inner = R"("{\"token\":\"pa\\\"ss\/w\\\\ord\"}")"; // JSON in a string of JSON
    CHECK(redacted(inner) == R"("{\"token\":\"[redacted:key]\"}")");
}

TEST_CASE("a number or a structure that is a secret becomes a string") {
    CHECK(redacted("[1234567890,{\"n\":-1234567890.5 }]") == R"(["[redacted:pin]",{"n":"[redacted:pin]" }])");
    CHECK(redacted("1234567890") == "\"[redacted:pin]\"");
    auto const redactor = test::redactor_for({{"account", R"({"type":"account","id":"x"})"}});
    CHECK(redactor.redact_json(R"({"a":{"type":"account","id":"x"}})") == R"({"a":"[redacted:account]"})");
    CHECK(redactor.redact_json(R"({"a":"{\"type\":\"account\",\"id\":\"x\"}"})") == R"({"a":"[redacted:account]"})");
}

TEST_CASE("no escape is cut in two, even where the bytes of a secret only seem to be") {
    CHECK(redacted(R"(["\nabcdefgh"])") == R"(["[redacted:nkey]"])");
    CHECK(redacted(R"(["\\nabcdefgh"])") == R"(["\\[redacted:nkey]"])");
}

TEST_CASE("what is no JSON is treated as text, and hides nothing") {
    CHECK(redacted("token nabcdefgh, \"nabcdefgh") == "token [redacted:nkey], \"[redacted:nkey]");
    CHECK(redacted("\"open pa\"ss/w\\ord\n\"nabcdefgh\"") == "\"open [redacted:key]\"\n\"[redacted:nkey]\"");
    CHECK(redacted("\\\"pa\\\"ss/w\\\\ord") == "\\\"[redacted:key]");
    CHECK(redacted(std::string("\0nabcdefgh\xff", 11)) == std::string("\0[redacted:nkey]\xff", 17));
}

TEST_CASE("JSON without a secret is not touched, however odd") {
    auto const redactor = test::redactor_for(secrets);
    for (auto const* const text : {R"("\ud83d \ude00 \ud83d\u0041")", "\"\xff\xc3\"", R"("\u12 \x \)", "\"", "", "{]"})
        CHECK_FALSE(redactor.redact_json(text));
}

TEST_CASE("whatever the JSON, it stays JSON of the same shape, and no string or key has a secret in it") {
    auto const redactor = test::redactor_for(secrets);
    std::size_t changed = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        test::Random random(seed);
        auto const text = some_json(random, 0);
        auto const out = redactor.redact_json(text);
        INFO(text << "\n" << out.value_or("unchanged"));
        auto const after = json::parse(out.value_or(text));
        REQUIRE(shape(after) == shape(json::parse(text)));
        check_strings(after);
        if (out) ++changed;
    }
    CHECK(changed > 100);
}
