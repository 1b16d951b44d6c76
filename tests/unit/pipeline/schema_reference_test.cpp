// References within a schema, and none that leads outside.
#include "unit/pipeline/schema_cases.hpp"

#include "pipeline/schema_uri.hpp"

using namespace test;
using pfar::pipeline::schemas::resolve;

TEST_CASE("references lead to places, names and addresses within the schema") {
    check_all(
        {{R"({"properties":{"a":{"$ref":"#"}},"additionalProperties":false})", R"({"a":{"a":{}}})", true},
         {R"({"properties":{"a":{"$ref":"#"}},"additionalProperties":false})", R"({"a":{"b":{}}})", false},
         {R"({"properties":{"a":{"type":"integer"},"b":{"$ref":"#/properties/a"}}})", R"({"b":"x"})", false},
         {R"({"prefixItems":[{"type":"integer"},{"$ref":"#/prefixItems/0"}]})", "[1,\"a\"]", false},
         {R"({"$ref":"#/$defs/a~1b~0c%25d","$defs":{"a/b~c%d":{"type":"integer"}}})", "\"a\"", false},
         {R"({"$ref":"#/$defs/%22","$defs":{"\"":{"type":"integer"}}})", "\"a\"", false},
         {R"({"$ref":"#/unknown/x","unknown":{"x":{"type":"integer"}}})", "\"a\"", false},
         {R"({"$ref":"#/unknown/x","unknown":{"x":{"items":{"$ref":"#/$defs/i"}}},"$defs":{"i":{"type":"integer"}}})",
          "[\"a\"]", false},
         {R"({"$ref":"#here","$defs":{"a":{"$anchor":"here","type":"integer"}}})", "\"a\"", false},
         {R"({"$id":"http://a.example/root.json","$ref":"item.json","$defs":{"a":{"$id":"item.json","type":"integer"}}})",
          "\"a\"", false},
         {R"({"$id":"http://a.example/root.json","$ref":"http://a.example/x/item.json#n","$defs":{"a":{"$id":"x/","$defs":{"b":{"$id":"item.json","$defs":{"c":{"$anchor":"n","type":"integer"}}}}}}})",
          "\"a\"", false},
         {R"({"$id":"urn:uuid:deadbeef","properties":{"a":{"$ref":"urn:uuid:deadbeef#/$defs/b"}},"$defs":{"b":{"type":"integer"}}})",
          R"({"a":"b"})", false},
         {R"({"$ref":"#/$defs/a","type":"string","$defs":{"a":{"minLength":2}}})", "\"a\"", false},
         {R"({"$ref":"#/$defs/a","type":"string","$defs":{"a":{}}})", "1", false},
         {R"({"properties":{"$ref":{"type":"string"}}})", R"({"$ref":1})", false},
         {R"({"properties":{"$ref":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}})", R"({"$ref":"a"})", true},
         {R"({"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#x","definitions":{"a":{"$id":"#x","type":"integer"}}})",
          "\"a\"", false},
         {R"({"const":{"$ref":"#/nowhere"}})", R"({"$ref":"#/nowhere"})", true}});
}

TEST_CASE("a dynamic reference leads to the outermost that has its name") {
    auto const list =
        R"({"$id":"http://a.example/strings","$ref":"list","$defs":{"s":{"$dynamicAnchor":"item","type":"string"},)"
        R"("l":{"$id":"list","items":{"$dynamicRef":"#item"},"$defs":{"any":{"$dynamicAnchor":"item"}}}}})";
    check_all({{list, R"(["a"])", true}, {list, "[1]", false}});
    auto const tree =
        R"({"$id":"http://a.example/strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,)"
        R"("$defs":{"t":{"$id":"tree","$dynamicAnchor":"node","properties":{"data":true,"children":{"items":{"$dynamicRef":"#node"}}}}}})";
    check_all({{tree, R"({"children":[{"data":1}]})", true}, {tree, R"({"children":[{"daat":1}]})", false}});
    check_all(
        {{R"({"$ref":"#/$defs/a","$defs":{"a":{"items":{"$dynamicRef":"#x"}},"b":{"$anchor":"x","type":"integer"}}})",
          "[\"a\"]", false}});
}

TEST_CASE("what is not in the schema is not fetched") {
    for (auto const* const reference :
         {"http://json-schema.org/draft-07/schema#", "https://a.example/x.json", "other.json", "file:///etc/passwd",
          "/etc/passwd", "//a.example/x", "urn:a:b", "?q", "other.json#/a"}) {
        auto const what = refusal(std::string(R"({"properties":{"a":{"$ref":")") + reference + R"("}}})");
        CAPTURE(reference, what);
        CHECK(what == std::string("#/properties/a/$ref: \"") + reference +
                          "\" is not in this schema, and nothing outside of it is read");
    }
}

TEST_CASE("what leads nowhere is refused") {
    CHECK(refusal(R"({"$ref":"#/$defs/a"})") == "#/$ref: there is nothing at \"#/$defs/a\" in this schema");
    CHECK(refusal(R"({"$ref":"#/prefixItems/1","prefixItems":[{}]})") ==
          "#/$ref: there is nothing at \"#/prefixItems/1\" in this schema");
    CHECK(refusal(R"({"$ref":"#a"})") == "#/$ref: there is no anchor \"a\" in this schema");
    CHECK(refusal(R"({"$ref":"#a","enum":[{"$anchor":"a"}]})") == "#/$ref: there is no anchor \"a\" in this schema");
    CHECK(refusal(R"({"$ref":"x","const":{"$id":"x"}})").find("nothing outside") != std::string::npos);
    CHECK(refusal(R"({"$ref":5})") == "#/$ref: expected a string, found integer");
    CHECK(refusal(R"({"$ref":"#/title","title":"a"})") == "#/title: expected a schema, found string");
}

TEST_CASE("addresses are resolved as RFC 3986 says") {
    struct {
        char const *base, *reference, *address, *fragment;
    } const cases[] = {{"", "#/a", "", "/a"},
                       {"", "a/b.json#c", "a/b.json", "c"},
                       {"http://a/b/c/d?q", "g", "http://a/b/c/g", ""},
                       {"http://a/b/c/d?q", "./g", "http://a/b/c/g", ""},
                       {"http://a/b/c/d?q", "g/", "http://a/b/c/g/", ""},
                       {"http://a/b/c/d?q", "/g", "http://a/g", ""},
                       {"http://a/b/c/d?q", "//g", "http://g", ""},
                       {"http://a/b/c/d?q", "?y", "http://a/b/c/d?y", ""},
                       {"http://a/b/c/d?q", "g?y#s", "http://a/b/c/g?y", "s"},
                       {"http://a/b/c/d?q", "", "http://a/b/c/d?q", ""},
                       {"http://a/b/c/d?q", ".", "http://a/b/c/", ""},
                       {"http://a/b/c/d?q", "..", "http://a/b/", ""},
                       {"http://a/b/c/d?q", "../g", "http://a/b/g", ""},
                       {"http://a/b/c/d?q", "../../../../g", "http://a/g", ""},
                       {"http://a/b/c/d?q", "g;x=1/../y", "http://a/b/c/y", ""},
                       {"http://a/b/c/d?q", "https:g", "https:g", ""},
                       {"http://a", "g", "http://a/g", ""},
                       {"urn:a:b", "#x%20y%", "urn:a:b", "x y%"}};
    for (auto const& [base, reference, address, fragment] : cases) {
        CAPTURE(base, reference);
        auto const out = resolve(base, reference);
        CHECK(out.address == address);
        CHECK(out.fragment == fragment);
    }
}
