// Schemas and values that are made to take long, to use up memory or the stack. Each must come to an end, in about a second with sanitizers.
#include "unit/pipeline/schema_cases.hpp"

#include "pipeline/schema_tree.hpp"

#include <fmt/format.h>

using namespace test;
using pfar::Errc;
using pfar::pipeline::Duplicates;
using namespace std::string_literals;

namespace {

constexpr double enough = 3; // a hundredth of it without sanitizers

/// Ends in time, with this code; none: it fits.
void ends(std::string const& schema, std::string const& value, std::optional<Errc> code) {
    auto const program = compiled(schema);
    pfar::Result<void> out;
    auto const took = seconds([&] { out = program->check(value); });
    CAPTURE(schema.substr(0, 200), value.size(), took, out ? "" : out.error().what);
    CHECK(took < enough);
    CHECK(out.has_value() == !code.has_value());
    if (!out && code) CHECK(out.error().code == *code);
    if (!out) CHECK(out.error().what.size() < 2000);
}

/// Is refused in time.
void refused(std::string const& schema, std::string const& why) {
    std::string what;
    auto const took = seconds([&] { what = refusal(schema); });
    CAPTURE(schema.substr(0, 200), took, what);
    CHECK(took < enough);
    CHECK(what.find(why) != std::string::npos);
    CHECK(what.size() < 1000);
}

std::string numbers(std::size_t count) {
    std::string out = "[0";
    for (std::size_t i = 1; i < count; ++i) out += "," + std::to_string(i);
    return out + "]";
}

std::string nested(std::size_t depth, std::string const& open, std::string const& close) {
    return repeated(depth, open) + "1" + repeated(depth, close);
}

} // namespace

TEST_CASE("a text that is too large or too deep is not looked at") {
    refused(R"({"description":")" + std::string(256 * 1024, 'a') + R"("})", "larger than 256 KiB");
    refused(nested(10'000, R"({"not":)", "}"), "nested deeper");
    refused(nested(100, R"({"items":)", "}"), "nested deeper");
    ends("{}", "\"" + std::string(16 * 1024 * 1024, 'a') + "\"", Errc::invalid);
    ends("{}", nested(10'000, "[", "]"), Errc::invalid);
    ends("{}", nested(1'000'000, R"({"a":)", "}"), Errc::invalid);
    ends("{}", std::string(5'000'000, '['), Errc::invalid);
}

TEST_CASE("a value of many values is not laid out") {
    ends("{}", "[" + repeated(999'998, "0,") + "0]", {});
    ends("{}", "[" + repeated(8'000'000, "0,") + "0]", Errc::timeout);
}

TEST_CASE("a large value that fits is checked to its end") {
    ends(R"({"items":{"type":"integer","minimum":0}})", numbers(700'000), {});
    auto const rows = "[" + repeated(50'000, R"({"id":17,"name":"somebody","tags":["a","b"]},)") + "{\"id\":1}]";
    ends(R"({"items":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"},)"
         R"("tags":{"type":"array","items":{"enum":["a","b"]}}},"required":["id"],"additionalProperties":false}})",
         rows, {});
    ends(R"({"type":"string","maxLength":16000000})", "\"" + std::string(15'000'000, 'a') + "\"", {});
}

TEST_CASE("patterns that are slow elsewhere are not slow here") {
    auto const text = "\"" + std::string(1024 * 1024, 'a') + "\"";
    ends(R"({"pattern":"^(a|b)*$"})", text, {});
    ends(R"({"pattern":"^(a+)+$"})", text, {});
    ends(R"({"pattern":"^(a+)+b$"})", text, Errc::invalid);
    ends(R"({"pattern":"^(a|aa)+$"})", text, {});
    ends(R"({"pattern":"(.*)*(.*)*x"})", text, Errc::invalid);
    ends(R"({"pattern":"^[A-Za-z0-9+/]*=*$"})", "\"" + std::string(5 * 1024 * 1024, 'A') + "\"", {});
}

TEST_CASE("a pattern that makes RE2 forget as fast as it learns is cut off") {
    std::string text = "\"";
    for (unsigned i = 0, seed = 1; i < 4 * 1024 * 1024; ++i)
        text += (seed = seed * 1103515245 + 12345) >> 16U & 1U ? 'a' : 'b';
    ends(R"({"pattern":"(a|b)*a(a|b){12}c"})", text + "\"", Errc::timeout);
    ends(R"({"pattern":"(a|b)*a(a|b){300}c"})", text.substr(0, 1'000'000) + "\"", Errc::timeout);
    ends(R"({"pattern":"(a|b)*a(a|b){300}c"})", text.substr(0, 10'000) + "\"", Errc::invalid);
}

TEST_CASE("many and large patterns are not checked") {
    std::string many, large;
    for (int i = 0; i < 300; ++i) many += fmt::format(R"("^a{}$":true,)", i);
    for (int i = 0; i < 100; ++i) large += fmt::format(R"("{}{}":true,)", repeated(600, "\\\\pL"), i);
    for (auto const& patterns : {many, large}) {
        auto const schema = R"({"patternProperties":{)" + patterns + R"("x":true},"additionalProperties":false})";
        CHECK(seconds([&] { CHECK_FALSE(compiled(schema)->unchecked().empty()); }) < enough);
    }
    for (auto const& pattern : {"((a{100}){100}){100}"s, std::string(3000, 'a'), "(\\\\pL|\\\\pN){100}"s})
        CHECK_FALSE(compiled(R"({"pattern":")" + pattern + R"("})")->unchecked().empty());
    ends(R"({"patternProperties":{)" + many + R"("x":true}})",
         "{" + repeated(20'000, R"("aaaaaaaaaaaa":1,)") + R"("x":1})", Errc::timeout);
}

TEST_CASE("references that lead in circles are refused") {
    for (
        auto const* const schema :
        {R"({"$ref":"#"})", R"({"allOf":[{"$ref":"#"}]})", R"({"not":{"$ref":"#"}})", R"({"if":{"$ref":"#"}})",
         R"({"then":{"$ref":"#/then"},"if":true})", R"({"dependentSchemas":{"a":{"$ref":"#"}}})",
         R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}})",
         R"({"properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/a"}]}}})",
         R"({"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","definitions":{"a":{"oneOf":[{"$ref":"#"}]}}})"})
        refused(schema, "circle");
}

TEST_CASE("references that go in circles only when they are followed come to an end") {
    ends(R"({"$dynamicAnchor":"a","$dynamicRef":"#a"})", "1", Errc::timeout);
    ends(R"({"$dynamicAnchor":"a","anyOf":[{"$dynamicRef":"#a"},{"$dynamicRef":"#a"}]})", "1", Errc::timeout);
}

TEST_CASE("a long chain of references does not use up the stack") {
    std::string defs;
    for (int i = 0; i < 1000; ++i) defs += fmt::format(R"("d{}":{{"$ref":"#/$defs/d{}"}},)", i, i + 1);
    defs += R"("d1000":{"type":"string"})";
    ends(R"({"$ref":"#/$defs/d0","$defs":{)" + defs + "}}", "1", Errc::timeout);
    ends(R"({"$ref":"#/$defs/d700","$defs":{)" + defs + "}}", "\"a\"", {});
    std::string all;
    for (int i = 0; i < 900; ++i)
        all += fmt::format(R"("d{}":{{"allOf":[{{"properties":{{"a":{{"$ref":"#/$defs/d{}"}}}}}}]}},)", i, i + 1);
    ends(R"({"$ref":"#/$defs/d0","$defs":{)" + all + R"("d900":{"type":"string"}}})", nested(64, R"({"a":)", "}"), {});
}

TEST_CASE("a deep value with a schema that recurs is checked") {
    auto const tree =
        R"({"type":"object","properties":{"child":{"$ref":"#"},"children":{"items":{"$ref":"#"}}},"unevaluatedProperties":false})";
    ends(tree, repeated(60, R"({"child":)") + "{}" + repeated(60, "}"), {});
    ends(R"({"items":{"$ref":"#"},"anyOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]})", nested(60, "[", "]"),
         Errc::timeout);
}

TEST_CASE("alternatives of alternatives are cut off") {
    std::string defs;
    for (int i = 0; i < 40; ++i) {
        auto const next = fmt::format(R"({{"$ref":"#/$defs/d{}"}})", i + 1);
        defs += fmt::format(R"("d{}":{{"anyOf":[{},{}]}},)", i, next, next);
    }
    auto const bomb = R"({"$ref":"#/$defs/d0","$defs":{)" + defs + R"("d40":{"type":"string"}}})";
    ends(bomb, "1", Errc::timeout);
    ends(bomb, "\"a\"", {});
    auto one_of = bomb;
    for (auto at = one_of.find("anyOf"); at != std::string::npos; at = one_of.find("anyOf"))
        one_of.replace(at, 5, "oneOf");
    ends(one_of, "\"a\"", Errc::timeout);
}

TEST_CASE("a thousand alternatives for each of many items are cut off, and few are not") {
    std::string alternatives;
    for (int i = 0; i < 1000; ++i) alternatives += fmt::format(R"({{"const":{}}},)", i);
    auto const schema = R"({"items":{"anyOf":[)" + alternatives + R"({"type":"null"}]}})";
    ends(schema, "[" + repeated(500, "999,") + "null]", {});
    ends(schema, "[" + repeated(100'000, "\"a\",") + "null]", Errc::invalid);
    ends(schema, "[" + repeated(100'000, "999,") + "null]", Errc::timeout);
}

TEST_CASE("items are told from each other in time") {
    ends(R"({"uniqueItems":true})", numbers(300'000), {});
    ends(R"({"uniqueItems":true})", "[" + repeated(300'000, "{},") + "1]", Errc::invalid);
    std::string objects = "[0";
    for (int i = 0; i < 50'000; ++i) objects += fmt::format(R"(,{{"a":{},"b":[1,2,{}]}})", i, i);
    ends(R"({"uniqueItems":true})", objects + "]", {});
    std::string members, reversed;
    for (int i = 0; i < 20'000; ++i) {
        members += fmt::format(R"("k{}":1,)", i);
        reversed += fmt::format(R"("k{}":1,)", 19'999 - i);
    }
    ends(R"({"uniqueItems":true})", "[{" + members + R"("z":1},{)" + reversed + R"("z":1}])", Errc::timeout);
}

TEST_CASE("long lists of names and values are searched in bounded time") {
    std::string names, values, members;
    for (int i = 0; i < 15'000; ++i) {
        names += fmt::format(R"("name{}",)", i);
        values += fmt::format("\"value {}\",", i);
        members += fmt::format(R"("name{}":1,)", i);
    }
    ends(R"({"required":[)" + names + R"("z"]})", "{" + members + R"("z":1})", Errc::timeout);
    ends(R"({"items":{"enum":[)" + values + "\"z\"]}}", "[" + repeated(100'000, "\"z\",") + "\"z\"]", Errc::timeout);
    ends(R"({"items":{"const":[)" + values + "\"z\"]}}", "[" + repeated(50, "[" + values + "\"z\"],") + "1]",
         Errc::invalid);
    ends(R"({"properties":{"a":true},"additionalProperties":false})", "{" + members + R"("z":1})", Errc::invalid);
    ends(R"({"unevaluatedProperties":{"type":"integer"}})", "{" + members + R"("z":1})", {});
    ends(R"({"propertyNames":{"maxLength":3}})", "{" + members + R"("z":1})", Errc::invalid);
}

TEST_CASE("long strings with escapes are not decoded again and again") {
    auto const text = std::string(1'000'000, 'a') + "\\n";
    std::string names, values, branches;
    for (int i = 0; i < 3000; ++i) {
        names += fmt::format(R"("name{}",)", i);
        values += fmt::format("\"{}\\n\",", i);
        branches += R"({"properties":{"a":{"minLength":2}}},)";
    }
    ends(R"({"dependentRequired":{"a":[)" + names + R"("z"]}})", R"({"a":1,")" + text + R"(":1})", Errc::invalid);
    ends(R"({"enum":[)" + values + "\"z\"]}", "\"" + text + "\"", Errc::invalid);
    ends(R"({"allOf":[)" + branches + "true]}", R"({"a":1,")" + text + R"(":1})", Errc::timeout);
    ends(R"({"allOf":[)" + branches + "true]}", R"({"a":")" + text + R"("})", Errc::timeout);
}

TEST_CASE("numbers of many digits are compared in bounded time") {
    auto const digits = "1" + std::string(1'000'000, '7');
    ends(R"({"type":"integer","minimum":5,"multipleOf":7})", digits, Errc::invalid);
    ends(R"({"type":"integer","minimum":5})", digits, {});
    ends(R"({"multipleOf":0.001})", "1e999999999999999999999999", {});
    ends(R"({"type":"integer"})", "1e-999999999999999999999999", Errc::invalid);
    ends(R"({"items":{"maximum":)" + std::string(200'000, '9') + "}}", "[" + repeated(100'000, "1.5,") + "1]",
         Errc::timeout);
}

TEST_CASE("many schemas, references and addresses are compiled or refused in time") {
    refused(R"({"anyOf":[)" + repeated(20'000, "{},") + "{}]}", "more than 10000 schemas");
    std::string defs, refs;
    for (int i = 0; i < 3000; ++i) {
        defs += fmt::format(R"("d{}":{{}},)", i);
        refs += fmt::format(R"({{"$ref":"#/$defs/d{}"}},)", 2999 - i);
    }
    refused(R"({"$defs":{)" + defs + R"("x":{}},"allOf":[)" + refs + R"({"$ref":"#/$defs/x"},{"$ref":"#/$defs/y"}]})",
            "");
    refused(R"({"$id":")" + std::string(5000, 'a') + R"(","allOf":[)" + repeated(100, R"({"$ref":"#"},)") + "true]}",
            "too long");
    refused(nested(30, R"({"$id":")" + std::string(1900, 'a') + R"(/","not":)", "}"), "");
    std::string ids;
    for (int i = 0; i < 2000; ++i) ids += fmt::format(R"({{"$id":"x/{}/","$anchor":"a","$ref":"#a"}},)", i);
    refused(R"({"allOf":[)" + ids + "true]}", "circle");
}

TEST_CASE("keys that stand twice are found in time, however many there are") {
    std::string members;
    for (int i = 0; i < 200'000; ++i)
        members += fmt::format(R"("a key with a long beginning that all have in common {}":1,)", i);
    auto const schema = compiled("{}");
    auto const value = "{" + members + R"("z":1,"\u007a":2})";
    pfar::Result<void> out;
    CHECK(seconds([&] { out = schema->check(value, Duplicates::refuse); }) < enough);
    REQUIRE_FALSE(out);
    CHECK(out.error().what == "the key \"z\" stands there twice");
    CHECK(schema->check(value));
}
