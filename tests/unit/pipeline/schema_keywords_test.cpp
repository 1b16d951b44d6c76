// The keywords of both drafts, by tables.
#include "unit/pipeline/schema_cases.hpp"

using namespace test;

namespace {

std::string draft7(std::string const& members) {
    return R"({"$schema":"http://json-schema.org/draft-07/schema#",)" + members + "}";
}

} // namespace

TEST_CASE("a schema that asks for nothing takes everything, and false takes nothing") {
    for (auto const* const value : {"null", "true", "0", "\"a\"", "[]", "{}", " [1, {\"a\" : 2}] "})
        check_all(
            {{"true", value, true}, {"{}", value, true}, {"false", value, false}, {R"({"not":{}})", value, false}});
}

TEST_CASE("keywords that nobody knows are passed over") {
    check_all(
        {{R"({"x-thing":{"type":"string"},"nullable":true,"title":5,"$comment":"c","examples":[1],"default":"a"})", "1",
          true},
         {R"({"$schema":"https://example.com/mine","type":"string"})", "1", false},
         {R"({"$schema":"https://json-schema.org/draft/2019-09/schema","prefixItems":[{"type":"string"}]})", "[1]",
          false}});
}

TEST_CASE("types are told apart, and integers by what they are worth") {
    check_all({{R"({"type":"null"})", "null", true},
               {R"({"type":"null"})", "0", false},
               {R"({"type":"boolean"})", "false", true},
               {R"({"type":"boolean"})", "\"false\"", false},
               {R"({"type":"string"})", "\"\"", true},
               {R"({"type":"string"})", "null", false},
               {R"({"type":"array"})", "[]", true},
               {R"({"type":"array"})", "{}", false},
               {R"({"type":"object"})", "{}", true},
               {R"({"type":"object"})", "[]", false},
               {R"({"type":"number"})", "1", true},
               {R"({"type":"number"})", "-1.5e3", true},
               {R"({"type":"integer"})", "1", true},
               {R"({"type":"integer"})", "-0", true},
               {R"({"type":"integer"})", "1.0", true},
               {R"({"type":"integer"})", "1.5e1", true},
               {R"({"type":"integer"})", "1.5", false},
               {R"({"type":"integer"})", "1e-1", false},
               {R"({"type":"integer"})", "123456789012345678901234567890123", true},
               {R"({"type":"integer"})", "1e400", true},
               {R"({"type":["string","null"]})", "null", true},
               {R"({"type":["string","null"]})", "1", false},
               {R"({"type":["integer","string"]})", "2.5", false}});
}

TEST_CASE("values are compared by what they mean") {
    check_all({{R"({"const":1})", "1.0", true},
               {R"({"const":0})", "-0", true},
               {R"({"const":1})", "true", false},
               {R"({"const":false})", "0", false},
               {R"({"const":"a"})", R"("\u0061")", true},
               {R"({"const":"\u00e9"})", "\"é\"", true},
               {R"({"const":"\ud83d\ude00"})", "\"😀\"", true},
               {R"({"const":"\ud800"})", R"("\ud800")", true},
               {R"({"const":"\ud800"})", "\"\xef\xbf\xbd\"", false},
               {R"({"const":"a\u0000b"})", R"("a\u0000b")", true},
               {R"({"const":{"a":1,"b":[2]}})", R"({"b":[2.0],"a":1})", true},
               {R"({"const":{"a":1}})", R"({"a":1,"b":2})", false},
               {R"({"const":[1,2]})", "[2,1]", false},
               {R"({"enum":["a",1,null,{"x":[]}]})", R"({"x":[]})", true},
               {R"({"enum":["a",1,null]})", "null", true},
               {R"({"enum":["a",1,null]})", "\"b\"", false},
               {R"({"enum":[]})", "1", false},
               {R"({"enum":[12345678901234567890123]})", "12345678901234567890123", true},
               {R"({"enum":[12345678901234567890123]})", "12345678901234567890124", false}});
}

TEST_CASE("numbers are held to their bounds") {
    check_all({{R"({"minimum":1.1})", "1.1", true},
               {R"({"minimum":1.1})", "1.09", false},
               {R"({"minimum":-2})", "-2.0001", false},
               {R"({"maximum":3})", "3.0", true},
               {R"({"maximum":3})", "3.5", false},
               {R"({"exclusiveMinimum":3})", "3", false},
               {R"({"exclusiveMinimum":3})", "3.0001", true},
               {R"({"exclusiveMaximum":3})", "3", false},
               {R"({"exclusiveMaximum":3})", "2.9999", true},
               {R"({"maximum":18446744073709551615})", "18446744073709551616", false},
               {R"({"maximum":1e308})", "1e309", false},
               {R"({"minimum":0})", "\"a\"", true},
               {R"({"multipleOf":2})", "10", true},
               {R"({"multipleOf":2})", "7", false},
               {R"({"multipleOf":0.01})", "0.07", true},
               {R"({"multipleOf":0.1})", "0.35", false},
               {R"({"multipleOf":1.5})", "4.5", true},
               {R"({"multipleOf":3})", "300000000000000000000000000000000000000000000000003", true},
               {R"({"multipleOf":0.123456789})", "1e308", false},
               {R"({"multipleOf":1e-8})", "12391239123", true},
               {R"({"multipleOf":7})", "0.0", true},
               {R"({"minimum":5,"exclusiveMinimum":true})", "5", false},
               {R"({"minimum":5,"exclusiveMinimum":false})", "5", true}});
}

TEST_CASE("strings are counted in characters") {
    check_all({{R"({"minLength":2})", "\"a\"", false},
               {R"({"minLength":2})", "\"ab\"", true},
               {R"({"minLength":2})", "\"😀\"", false},
               {R"({"maxLength":2})", "\"😀é\"", true},
               {R"({"maxLength":2})", R"("\ud83d\ude00\u00e9")", true},
               {R"({"maxLength":2})", "\"abc\"", false},
               {R"({"maxLength":2.0})", "\"abc\"", false},
               {R"({"maxLength":1e99})", "\"abc\"", true},
               {R"({"minLength":2})", "1", true}});
}

TEST_CASE("objects: properties, and all others") {
    auto const closed =
        R"({"properties":{"a":{"type":"string"}},"patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false})";
    check_all({{closed, R"({"a":"","x-1":1})", true},
               {closed, R"({"a":1})", false},
               {closed, R"({"x-1":"a"})", false},
               {closed, R"({"b":1})", false},
               {closed, R"({"\u0061":1})", false},
               {closed, "[1]", true},
               {R"({"additionalProperties":{"type":"integer"}})", R"({"a":1})", true},
               {R"({"additionalProperties":{"type":"integer"}})", R"({"a":"b"})", false},
               {R"({"properties":{"a":false}})", R"({"a":1})", false},
               {R"({"properties":{"a":false}})", "{}", true},
               {R"({"properties":{"foo\nbar":{"type":"number"},"__proto__":{"type":"number"}}})", R"({"foo\nbar":"x"})",
                false},
               {R"({"properties":{"__proto__":{"type":"number"}}})", R"({"__proto__":"x"})", false},
               {R"({"required":["a","b"]})", R"({"a":1,"b":null})", true},
               {R"({"required":["a","b"]})", R"({"a":1})", false},
               {R"({"required":["a\tb"]})", R"({"a\tb":1})", true},
               {R"({"required":["a"]})", "[]", true},
               {R"({"minProperties":1,"maxProperties":2})", "{}", false},
               {R"({"minProperties":1,"maxProperties":2})", R"({"a":1,"b":2,"c":3})", false},
               {R"({"propertyNames":{"maxLength":2}})", R"({"ab":1})", true},
               {R"({"propertyNames":{"maxLength":2}})", R"({"abc":1})", false},
               {R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})", false},
               {R"({"dependentRequired":{"a":["b"]}})", R"({"a":1,"b":1})", true},
               {R"({"dependentRequired":{"a":["b"]}})", R"({"c":1})", true},
               {R"({"dependentSchemas":{"a":{"required":["b"]}}})", R"({"a":1})", false},
               {R"({"dependencies":{"a":["b"],"c":{"minProperties":2}}})", R"({"c":1})", false},
               {R"({"dependencies":{"a":["b"],"c":{"minProperties":2}}})", R"({"a":1})", false}});
}

TEST_CASE("arrays: the first items, and all others") {
    check_all(
        {{R"({"items":{"type":"integer"}})", "[1,2]", true},
         {R"({"items":{"type":"integer"}})", "[1,\"a\"]", false},
         {R"({"items":false})", "[]", true},
         {R"({"items":false})", "[1]", false},
         {R"({"prefixItems":[{"type":"integer"},{"type":"string"}],"items":{"type":"null"}})", "[1,\"a\",null]", true},
         {R"({"prefixItems":[{"type":"integer"},{"type":"string"}],"items":{"type":"null"}})", "[1,\"a\",1]", false},
         {R"({"items":{"type":"null"},"prefixItems":[{"type":"integer"}]})", "[1]", true},
         {R"({"prefixItems":[{"type":"integer"}]})", "[\"a\"]", false},
         {R"({"prefixItems":[{"type":"integer"}]})", "[]", true},
         {R"({"minItems":1,"maxItems":2})", "[]", false},
         {R"({"minItems":1,"maxItems":2})", "[1,2,3]", false},
         {R"({"contains":{"const":5}})", "[1,5]", true},
         {R"({"contains":{"const":5}})", "[1]", false},
         {R"({"contains":{"const":5}})", "[]", false},
         {R"({"contains":{"const":5},"minContains":0})", "[]", true},
         {R"({"contains":{"const":5},"minContains":2,"maxContains":3})", "[5,1,5]", true},
         {R"({"contains":{"const":5},"minContains":2,"maxContains":3})", "[5,5,5,5]", false},
         {R"({"uniqueItems":true})", "[1,2]", true},
         {R"({"uniqueItems":true})", "[1,1.0]", false},
         {R"({"uniqueItems":true})", "[1,true,\"1\"]", true},
         {R"({"uniqueItems":true})", R"([{"a":1,"b":2},{"b":2,"a":1}])", false},
         {R"({"uniqueItems":true})", R"(["a","\u0061"])", false},
         {R"({"uniqueItems":true})", "[[1],[2],[[1]]]", true},
         {R"({"uniqueItems":false})", "[1,1]", true}});
}

TEST_CASE("schemas are put together") {
    check_all({{R"({"allOf":[{"minimum":1},{"maximum":3}]})", "2", true},
               {R"({"allOf":[{"minimum":1},{"maximum":3}]})", "4", false},
               {R"({"anyOf":[{"type":"string"},{"minimum":3}]})", "4", true},
               {R"({"anyOf":[{"type":"string"},{"minimum":3}]})", "2", false},
               {R"({"oneOf":[{"minimum":2},{"type":"integer"}]})", "2.5", true},
               {R"({"oneOf":[{"minimum":2},{"type":"integer"}]})", "3", false},
               {R"({"oneOf":[{"minimum":2},{"type":"integer"}]})", "1.5", false},
               {R"({"not":{"type":"string"}})", "1", true},
               {R"({"not":{"type":"string"}})", "\"a\"", false},
               {R"({"not":{"not":{"type":"string"}}})", "\"a\"", true},
               {R"({"if":{"minimum":5},"then":{"multipleOf":2},"else":{"multipleOf":3}})", "6", true},
               {R"({"if":{"minimum":5},"then":{"multipleOf":2},"else":{"multipleOf":3}})", "7", false},
               {R"({"if":{"minimum":5},"then":{"multipleOf":2},"else":{"multipleOf":3}})", "3", true},
               {R"({"if":{"minimum":5},"then":{"multipleOf":2},"else":{"multipleOf":3}})", "4", false},
               {R"({"if":{"minimum":5}})", "4", true},
               {R"({"then":{"multipleOf":2}})", "3", true}});
}

TEST_CASE("what no schema had a say about") {
    auto const closed =
        R"({"allOf":[{"properties":{"a":true}}],"anyOf":[{"properties":{"b":{"const":1}},"required":["b"]},{"properties":{"c":true}}],)"
        R"("if":{"required":["d"]},"then":{"properties":{"d":true}},"unevaluatedProperties":false})";
    auto const items = R"({"prefixItems":[true],"contains":{"type":"string"},"unevaluatedItems":false})";
    check_all(
        {{closed, R"({"a":1})", true},
         {closed, R"({"a":1,"b":1})", true},
         {closed, R"({"a":1,"b":2})", false}, // the alternative that knows b does not fit
         {closed, R"({"b":1,"c":1,"d":1})", true},
         {closed, R"({"e":1})", false},
         {R"({"not":{"properties":{"a":{"type":"string"}}},"unevaluatedProperties":false})", R"({"a":1})", false},
         {R"({"properties":{"a":{"unevaluatedProperties":false}}})", R"({"a":{"b":1}})", false},
         {R"({"$ref":"#/$defs/x","unevaluatedProperties":false,"$defs":{"x":{"patternProperties":{"^a":true}}}})",
          R"({"ab":1})", true},
         {R"({"$ref":"#/$defs/x","unevaluatedProperties":false,"$defs":{"x":{"patternProperties":{"^a":true}}}})",
          R"({"b":1})", false},
         {R"({"dependentSchemas":{"a":{"properties":{"a":true}}},"unevaluatedProperties":false})", R"({"a":1})", true},
         {R"({"additionalProperties":true,"unevaluatedProperties":false})", R"({"a":1})", true},
         {R"({"unevaluatedProperties":{"type":"integer"}})", R"({"a":1})", true},
         {R"({"unevaluatedProperties":{"type":"integer"}})", R"({"a":"b"})", false},
         {items, R"([1,"a"])", true},
         {items, R"([1,"a",2])", false},
         {R"({"items":true,"unevaluatedItems":false})", "[1]", true},
         {R"({"allOf":[{"prefixItems":[true,true]}],"unevaluatedItems":{"type":"null"}})", "[1,2,null]", true},
         {R"({"allOf":[{"prefixItems":[true,true]}],"unevaluatedItems":{"type":"null"}})", "[1,2,3]", false}});
}

TEST_CASE("draft-07 has its own ways") {
    check_all(
        {{draft7(R"("items":[{"type":"integer"},{"type":"string"}],"additionalItems":false)"), "[1,\"a\"]", true},
         {draft7(R"("items":[{"type":"integer"},{"type":"string"}],"additionalItems":false)"), "[1,\"a\",1]", false},
         {draft7(R"("items":[{"type":"integer"}],"additionalItems":{"type":"null"})"), "[1,null]", true},
         {draft7(R"("items":[{"type":"integer"}],"additionalItems":{"type":"null"})"), "[1,2]", false},
         {draft7(R"("items":{"type":"integer"},"additionalItems":false)"), "[1,2]", true},
         {draft7(R"("prefixItems":[{"type":"string"}])"), "[1]", true},
         {draft7(R"("unevaluatedProperties":false)"), R"({"a":1})", true},
         {draft7(R"("dependencies":{"a":["b"]})"), R"({"a":1})", false},
         {draft7(R"("dependencies":{"a":{"required":["b"]},"c":false})"), R"({"c":1})", false},
         {draft7(R"("dependentRequired":{"a":["b"]})"), R"({"a":1})", true},
         {draft7(R"("contains":{"const":1},"minContains":2)"), "[1]", true},
         {draft7(R"("$ref":"#/definitions/a","type":"string","definitions":{"a":{"type":"integer"}})"), "1", true},
         {draft7(R"("properties":{"a":{"$ref":"#/definitions/a"}},"definitions":{"a":{"type":"integer"}})"),
          R"({"a":"b"})", false},
         {draft7(R"("if":{"const":1},"then":false)"), "1", false}});
    // Without "$schema" they are understood all the same.
    check_all({{R"({"items":[{"type":"integer"}],"additionalItems":false})", "[1,2]", false},
               {R"({"properties":{"a":{"$ref":"#/definitions/a"}},"definitions":{"a":{"type":"integer"}}})",
                R"({"a":"b"})", false}});
}

TEST_CASE("what a schema cannot say is refused by its place") {
    CHECK(refusal("5") == "#: expected a schema, found integer");
    CHECK(refusal(R"({"type":"strnig"})") ==
          "#/type: expected null, boolean, integer, number, string, array or object, or a list of them, found string");
    CHECK(refusal(R"({"properties":{"a":{"minimum":"5"}}})") ==
          "#/properties/a/minimum: expected a number, found string");
    CHECK(refusal(R"({"properties":[]})") == "#/properties: expected an object, found array");
    CHECK(refusal(R"({"items":5})") == "#/items: expected a schema, found integer");
    CHECK(refusal(R"({"required":["a",1]})") == "#/required/1: expected a string, found integer");
    CHECK(refusal(R"({"anyOf":{}})") == "#/anyOf: expected an array, found object");
    CHECK(refusal(R"({"maxLength":-1})") == "#/maxLength: expected a whole number that is not negative, found integer");
    CHECK(refusal(R"({"multipleOf":0})") == "#/multipleOf: expected a number above 0, found integer");
    CHECK(refusal(R"({"pattern":5})") == "#/pattern: expected a string, found integer");
    CHECK(refusal(R"({"type":"string","type":"integer"})") == "the key \"type\" stands there twice");
    CHECK(refusal("{") == "it is no JSON, or nested deeper than 64 levels");
    CHECK(refusal("") == "it is no JSON, or nested deeper than 64 levels");
}
