// What is said of a value that does not fit, of a key that stands twice, and of what is not checked.
#include "unit/pipeline/schema_cases.hpp"

using namespace test;
using pfar::Errc;
using pfar::pipeline::Duplicates;

TEST_CASE("what does not fit is named by its place and what is expected there") {
    CHECK(complaint(R"({"properties":{"count":{"type":"integer"}}})", R"({"count":"3"})") ==
          "/count: expected integer, found string");
    CHECK(complaint(R"({"type":["string","null"]})", "1.5") == "expected null or string, found number");
    CHECK(complaint(R"({"required":["path"]})", "{}") == "the property \"path\" is missing");
    CHECK(complaint(R"({"items":{"required":["path"]}})", "[{}]") == "/0: the property \"path\" is missing");
    CHECK(complaint(R"({"properties":{"path":true},"additionalProperties":false})", R"({"pth":1})") ==
          "/pth: there is no such property; did you mean \"path\"?");
    CHECK(complaint(R"({"additionalProperties":false})", R"({"a":1})") == "/a: there is no such property");
    CHECK(complaint(R"({"unevaluatedProperties":false})", R"({"a":1})") == "/a: there is no such property");
    CHECK(complaint(R"({"enum":["a","b",3]})", "\"secret\"") == "expected one of \"a\", \"b\", 3");
    CHECK(complaint(R"({"const":"a"})", "\"secret\"") == "expected \"a\"");
    CHECK(complaint(R"({"minimum":5})", "3") == "expected at least 5");
    CHECK(complaint(R"({"exclusiveMaximum":5})", "5") == "expected below 5");
    CHECK(complaint(R"({"multipleOf":0.5})", "0.3") == "expected a multiple of 0.5");
    CHECK(complaint(R"({"minLength":3})", "\"ab\"") == "expected at least 3 characters, found 2");
    CHECK(complaint(R"({"maxItems":1})", "[1,2]") == "expected at most 1 items, found 2");
    CHECK(complaint(R"({"minProperties":1})", "{}") == "expected at least 1 properties, found 0");
    CHECK(complaint(R"({"pattern":"^a+$"})", "\"b\"") == "does not match the pattern ^a+$");
    CHECK(complaint(R"({"uniqueItems":true})", "[1,1]") == "two items are the same");
    CHECK(complaint(R"({"propertyNames":{"maxLength":1}})", R"({"ab":1})") ==
          "/ab: expected at most 1 characters, found 2");
    CHECK(complaint(R"({"contains":{"const":1}})", "[]") == "expected at least 1 items of a certain kind, found 0");
    CHECK(complaint(R"({"not":{"type":"null"}})", "null") == "is of a kind that is not allowed here");
    CHECK(complaint("false", "null") == "nothing is allowed here");
    CHECK(complaint(R"({"properties":{"a/b":{"items":{"type":"null"}}}})", R"({"a/b":[null,1]})") ==
          "/a~1b/1: expected null, found integer");
    CHECK(complaint(R"({"prefixItems":[{"type":"null"}],"items":false})", "[null,2]") == "/1: nothing is allowed here");
}

TEST_CASE("of alternatives it is said what each of them asks for") {
    CHECK(complaint(R"({"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]})", "[1]") ==
          "fits none of the 2 alternatives (expected string, found array | expected string, found integer)");
    CHECK(complaint(R"({"oneOf":[{"type":"integer"},{"minimum":1}]})", "3") ==
          "fits more than one of the alternatives, expected exactly one");
    CHECK(complaint(R"({"anyOf":[{"anyOf":[{"type":"null"},{"type":"string"}]},{"const":5}]})", "1") ==
          "fits none of the 2 alternatives (fits none of the 2 alternatives | expected 5)");
}

TEST_CASE("the first few are named, and no more") {
    CHECK(
        complaint(R"({"properties":{"a":{"type":"null"},"b":{"type":"null"}},"required":["c"]})", R"({"a":1,"b":2})") ==
        "the property \"c\" is missing; /a: expected null, found integer; /b: expected null, found integer");
    auto const many = complaint(R"({"items":{"type":"null"}})", "[1,2,3,4,5,6,7,8]");
    CHECK(many ==
          "/0: expected null, found integer; /1: expected null, found integer; /2: expected null, found integer; "
          "/3: expected null, found integer");
}

TEST_CASE("what a stranger wrote is shown safely and not at length") {
    auto const long_name = std::string(5000, 'n');
    auto const what =
        complaint(R"({"additionalProperties":{"type":"null"}})", R"({"\u001b[2J\u202e":1,")" + long_name + R"(":2})");
    CHECK(what.find('\x1b') == std::string::npos);
    CHECK(what.find("/\\u001b[2J\\u202e: expected null") == 0);
    CHECK(what.size() < 250);
    CHECK(complaint(R"({"pattern":")" + std::string(1500, 'p') + R"("})", "\"a\"").size() < 200);
    CHECK(complaint(R"({"enum":[")" + std::string(5000, 'e') + R"("]})", "\"a\"").size() < 200);
    CHECK(complaint(R"({"required":["éééééééééééééééééééééééééééééééééé"]})", "{}").find("\\x") == std::string::npos);
}

TEST_CASE("a key that stands twice is refused where that is asked for") {
    auto const schema = compiled("true");
    auto const refused = [&](std::string const& value) {
        auto const out = schema->check(value, Duplicates::refuse);
        return out ? "" : out.error().what;
    };
    CHECK(refused(R"({"x":1,"x":2})") == "the key \"x\" stands there twice");
    CHECK(refused(R"({"a":{"b":{"x":1,"y":1,"x":2}}})") == "/a/b: the key \"x\" stands there twice");
    CHECK(refused(R"({"a":[{},{"x":1,"\u0078":2}]})") == "/a/1: the key \"x\" stands there twice");
    CHECK(refused(R"({"":1,"":2})") == "the key \"\" stands there twice");
    CHECK(refused(R"({"a":{"x":1},"b":{"x":1},"x":[{"x":1}]})").empty());
    CHECK(schema->check(R"({"x":1,"x":2})"));
}

TEST_CASE("a key that stands twice is checked twice where it is not refused") {
    check_all({{R"({"properties":{"x":{"type":"integer"}}})", R"({"x":1,"x":"a"})", false},
               {R"({"properties":{"x":{"type":"integer"}}})", R"({"x":"a","x":1})", false}});
}

TEST_CASE("what is no JSON does not fit anything") {
    for (auto const* const value : {"", "{", "nul", "{}{}", "\"\xff\"", "[1,]", "\xef\xbb\xbf{}"}) {
        auto const out = compiled("true")->check(value);
        REQUIRE_FALSE(out);
        CHECK(out.error().code == Errc::invalid);
    }
}

TEST_CASE("what is not checked is listed, once each") {
    using Notes = std::vector<std::string>;
    CHECK(compiled(R"({"type":"string"})")->unchecked().empty());
    CHECK(compiled(R"({"properties":{"a":{"format":"email"},"b":{"format":"email"},"c":{"format":"uri"}}})")
              ->unchecked() == Notes{"the format email", "the format uri"});
    CHECK(compiled(R"({"pattern":"^(?!a)b"})")->unchecked() ==
          Notes{"the pattern ^(?!a)b (invalid perl operator: (?!)"});
    CHECK(compiled(R"({"properties":{"a":{"required":true}}})")->unchecked() == Notes{"required, where it is no list"});
    CHECK(compiled(R"({"multipleOf":1234567890123456789012})")->unchecked() ==
          Notes{"multipleOf 1234567890123456789012, which has too many digits"});
    check_all({{R"({"format":"email"})", "\"no address\"", true},
               {R"({"format":"regex"})", "\"(((((\"", true},
               {R"({"format":"date-time"})", "\"yesterday\"", true},
               {R"({"multipleOf":1234567890123456789012})", "7", true}});
}

TEST_CASE("a schema of a tool as the SDK for TypeScript sends it") {
    auto const schema =
        R"({"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{)"
        R"("path":{"type":"string","description":"where"},"head":{"type":"number","minimum":1},)"
        R"("edits":{"type":"array","items":{"type":"object","properties":{"oldText":{"type":"string"},"newText":{"type":"string"}},)"
        R"("required":["oldText","newText"],"additionalProperties":false}},"sortBy":{"type":"string","enum":["name","size"],"default":"name"}},)"
        R"("required":["path"],"additionalProperties":false})";
    check_all({{schema, R"({"path":"/a"})", true},
               {schema, R"({"path":"/a","head":2,"sortBy":"size","edits":[{"oldText":"a","newText":"b"}]})", true},
               {schema, R"({"head":2})", false},
               {schema, R"({"path":"/a","extra":1})", false},
               {schema, R"({"path":"/a","sortBy":"date"})", false},
               {schema, R"({"path":"/a","edits":[{"oldText":"a"}]})", false}});
    CHECK(complaint(schema, R"({"path":"/a","edits":[{"oldText":"a"}]})") ==
          "/edits/0: the property \"newText\" is missing");
}
