// Patterns: ECMA-262's by RE2, under every keyword that may hold one; and what is done where RE2 does not know one.
#include "unit/pipeline/schema_cases.hpp"

#include "pipeline/schema_pattern.hpp"

#include <boost/json.hpp>

using namespace test;
using pfar::pipeline::schemas::Pattern;
using namespace std::string_literals;

namespace {

struct Match {
    std::string pattern, text;
    bool found;
};

std::string quoted(std::string const& text) {
    return boost::json::serialize(boost::json::value(text));
}

std::string const unknown = R"({"pattern":"^(?=a)."})"; // RE2 has no lookaheads

} // namespace

TEST_CASE("patterns mean what they mean in ECMA-262") {
    for (auto const& [pattern, text, found] :
         std::initializer_list<Match>{{"b", "abc", true},
                                      {"^b", "abc", false},
                                      {"^abc$", "abc\n", false},
                                      {"a.c", "a\nc", false},
                                      {"a.c", "a\rc", false},
                                      {"a.c", "a\u2028c", false},
                                      {"a.c", "aéc", true},
                                      {"^.$", "😀", true},
                                      {"^\\s$", "\u00a0", true},
                                      {"^\\s$", "\ufeff", true},
                                      {"^\\s$", "\v", true},
                                      {"^\\S$", "\u2003", false},
                                      {"^\\S$", "é", true},
                                      {"^[\\s\\S]*$", "a\nb\u2028", true},
                                      {"^[^\\s]+$", "a\u00a0", false},
                                      {"^\\d+$", "12", true},
                                      {"^\\d$", "߀", false},
                                      {"^\\w$", "é", false},
                                      {"^\\u0041\\u{1F600}$", "A😀", true},
                                      {"^\\ud83d\\ude00$", "😀", true},
                                      {"^[\\u0041-\\u0043]$", "B", true},
                                      {"^\\x41$", "A", true},
                                      {"^\\cC$", "\x03", true},
                                      {"^[\\b]$", "\b", true},
                                      {"\\bb", "a b", true},
                                      {"^a\\/b\\-c$", "a/b-c", true},
                                      {"^[[a]$", "[", true},
                                      {"^[\\w-.]+$", "a-.", true},
                                      {"[]", "a", false},
                                      {"^[^]$", "\n", true},
                                      {"^(?<year>\\d{4})-(?:x|y)$", "2026-x", true},
                                      {"^a{2,3}$", "aaaa", false},
                                      {"^\\p{L}+$", "éa", true},
                                      {"^\\p{Lu}$", "a", false},
                                      {"^$", "", true},
                                      {"^\\$\\{.*\\}$", "${x}", true},
                                      {"a\\u0000b", "a\0b"s, true}}) {
        CAPTURE(pattern, text);
        auto const compiled = Pattern::compile(pattern);
        REQUIRE(compiled);
        CHECK(compiled->found_in(text) == found);
        check_all({{R"({"pattern":)" + quoted(pattern) + "}", quoted(text), found}});
    }
}

TEST_CASE("patterns that real servers send are known") {
    for (auto const* const pattern :
         {"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$",
          "^([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d+)?)?$", "^https?:\\/\\/[^\\s/$.?#].[^\\s]*$",
          "^[\\w.+-]+@[\\w-]+\\.[\\w.]+$", "^data:image\\/(png|jpe?g);base64,[A-Za-z0-9+/=]+$",
          "^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$", "^\\S+$", "^\\$\\{?[A-Z_]+\\}?$"})
        CHECK(Pattern::compile(pattern));
}

TEST_CASE("what cannot be matched in linear time is not known") {
    for (auto const* const pattern : {"(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<x>a)\\k<x>", "a{2000}", "(",
                                      "[", "*", "\\", "\\u12", "\\ud800"}) {
        CAPTURE(pattern);
        CHECK_FALSE(Pattern::compile(pattern));
    }
}

TEST_CASE("a pattern counts wherever a schema may stand") {
    auto const p = R"({"pattern":"^a"})"s;
    check_all({{R"({"not":)" + p + "}", "\"a\"", false},
               {R"({"not":)" + p + "}", "\"b\"", true},
               {R"({"not":)" + p + "}", "1", false}, // a pattern asks nothing of a number
               {R"({"oneOf":[)" + p + R"(,{"pattern":"b$"}]})", "\"ab\"", false},
               {R"({"oneOf":[)" + p + R"(,{"pattern":"b$"}]})", "\"ac\"", true},
               {R"({"oneOf":[)" + p + R"(,{"pattern":"b$"}]})", "\"c\"", false},
               {R"({"anyOf":[)" + p + R"(,{"maxLength":1}]})", "\"bc\"", false},
               {R"({"anyOf":[)" + p + R"(,{"maxLength":1}]})", "\"ac\"", true},
               {R"({"allOf":[)" + p + "]}", "\"b\"", false},
               {R"({"if":)" + p + R"(,"then":{"minLength":2},"else":{"maxLength":1}})", "\"a\"", false},
               {R"({"if":)" + p + R"(,"then":{"minLength":2},"else":{"maxLength":1}})", "\"bb\"", false},
               {R"({"if":)" + p + R"(,"then":{"minLength":2},"else":{"maxLength":1}})", "\"ab\"", true},
               {R"({"$ref":"#/$defs/p","$defs":{"p":)" + p + "}}", "\"b\"", false},
               {R"({"properties":{"x":{"$ref":"#/$defs/p"}},"$defs":{"p":)" + p + "}}", R"({"x":"b"})", false},
               {R"({"items":)" + p + "}", R"(["a","b"])", false},
               {R"({"prefixItems":[)" + p + "]}", R"(["b"])", false},
               {R"({"contains":)" + p + "}", R"(["b"])", false},
               {R"({"contains":)" + p + "}", R"(["b","a"])", true},
               {R"({"propertyNames":)" + p + "}", R"({"b":1})", false},
               {R"({"propertyNames":)" + p + "}", R"({"\u0061":1})", true},
               {R"({"additionalProperties":)" + p + "}", R"({"x":"b"})", false},
               {R"({"patternProperties":{"x$":)" + p + "}}", R"({"ax":"b"})", false},
               {R"({"patternProperties":{"x$":)" + p + "}}", R"({"ay":"b"})", true},
               {R"({"dependentSchemas":{"k":{"properties":{"v":)" + p + "}}}}", R"({"k":1,"v":"b"})", false},
               {R"({"unevaluatedProperties":)" + p + "}", R"({"v":"b"})", false},
               {R"({"unevaluatedItems":)" + p + "}", R"(["b"])", false}});
}

TEST_CASE("properties that a pattern knows are no additional ones") {
    auto const closed =
        R"({"patternProperties":{"^a":{"type":"integer"},"b$":{"minimum":5}},"additionalProperties":false})"s;
    check_all(
        {{closed, R"({"a":1})", true},
         {closed, R"({"ab":1})", false},
         {closed, R"({"ab":5})", true},
         {closed, R"({"c":1})", false},
         {R"({"not":)" + closed + "}", R"({"c":1})", true},
         {R"({"oneOf":[)" + closed + R"(,{"required":["a"]}]})", R"({"a":1})", false},
         {R"({"allOf":[{"patternProperties":{"^a":true}}],"unevaluatedProperties":false})", R"({"a":1})", true},
         {R"({"allOf":[{"patternProperties":{"^a":true}}],"unevaluatedProperties":false})", R"({"b":1})", false}});
}

TEST_CASE("what is only called pattern is none") {
    check_all(
        {{R"({"properties":{"pattern":{"type":"string"},"patternProperties":{"type":"object"}},"required":["pattern"]})",
          R"({"pattern":"(","patternProperties":{"(":1}})", true},
         {R"({"properties":{"pattern":{"type":"string"}}})", R"({"pattern":5})", false},
         {R"({"enum":[{"pattern":"("}]})", R"({"pattern":"("})", true},
         {R"({"const":{"patternProperties":{"(":{}}}})", R"({"patternProperties":{"(":{}}})", true},
         {R"({"default":{"pattern":"("},"examples":[{"pattern":"("}]})", "\"a\"", true},
         {R"({"x-else":{"pattern":"("}})", "\"a\"", true},
         {R"({"properties":{"properties":{"properties":{"pattern":{"const":1}}}}})", R"({"properties":{"pattern":2}})",
          false}});
    CHECK(compiled(R"({"properties":{"pattern":{"type":"string"}},"enum":[)" + unknown + "]}")->unchecked().empty());
}

TEST_CASE("a pattern that is not known never makes a value unfit, whatever is around it") {
    for (auto const& schema :
         {unknown, R"({"not":)" + unknown + "}", R"({"not":{"not":)" + unknown + "}}",
          R"({"oneOf":[)" + unknown + R"(,{"type":"integer"}]})", R"({"oneOf":[)" + unknown + "," + unknown + "]}",
          R"({"anyOf":[)" + unknown + R"(,{"type":"null"}]})", R"({"allOf":[)" + unknown + "]}",
          R"({"if":)" + unknown + R"(,"then":{"const":1},"else":{"const":2}})",
          R"({"$ref":"#/$defs/x","$defs":{"x":)" + unknown + "}}",
          R"({"not":{"$ref":"#/$defs/x"},"$defs":{"x":)" + unknown + "}}"}) {
        CAPTURE(schema);
        CHECK(compiled(schema)->check("\"b\""));
        CHECK_FALSE(compiled(schema)->unchecked().empty());
    }
    check_all(
        {{R"({"contains":)" + unknown + "}", R"(["b"])", true},
         {R"({"contains":)" + unknown + R"(,"maxContains":1})", R"(["b","b"])", true},
         {R"({"contains":)" + unknown + "}", "[]", false},
         {R"({"propertyNames":)" + unknown + "}", R"({"b":1})", true},
         {R"({"patternProperties":{"(?=a).":{"type":"string"}},"additionalProperties":false})", R"({"b":1})", true},
         {R"({"not":{"patternProperties":{"(?=a).":{"type":"string"}}}})", R"({"b":1})", true},
         {R"({"not":{"patternProperties":{"(?=a).":{"type":"string"}}}})", "{}", false},
         {R"({"allOf":[{"patternProperties":{"(?=a).":true}}],"unevaluatedProperties":false})", R"({"b":1})", true},
         {R"({"if":{"items":)" + unknown + R"(},"then":{"items":true},"unevaluatedItems":false})", R"(["b"])", true},
         {R"({"items":)" + unknown + R"(,"unevaluatedItems":false})", R"(["b"])", true}});
}

TEST_CASE("beside a pattern that is not known, all else still counts") {
    check_all({{R"({"pattern":"(?=a).","maxLength":1})", "\"bb\"", false},
               {R"({"type":"string","pattern":"(?=a)."})", "1", false},
               {R"({"not":)" + unknown + "}", "1", false}, // it asks nothing of a number
               {R"({"anyOf":[{"pattern":"(?=a).","type":"string"},{"type":"null"}]})", "1", false},
               {R"({"oneOf":[)" + unknown + R"(,{"minLength":1},{"maxLength":3}]})", "\"b\"", false},
               {R"({"allOf":[)" + unknown + R"(,{"const":"c"}]})", "\"b\"", false}});
}
