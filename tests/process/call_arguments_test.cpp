// What is typed, as a tool gets it: a table of cases.
#include "cli/call_arguments.hpp"

#include "cli/call_result.hpp"
#include "cli/call_target.hpp"
#include "cli/json_layout.hpp"
#include "cli/line_diff.hpp"
#include "cli/tool_changes.hpp"
#include "support/process.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace pfar;
using test::has;

namespace {

auto const schema = boost::json::parse(R"({
  "type": "object",
  "properties": {
    "text": {"type": "string"}, "count": {"type": "integer"}, "ratio": {"type": "number"}, "flag": {"type": "boolean"},
    "nothing": {"type": "null"}, "tags": {"type": "array", "items": {"type": "string"}},
    "numbers": {"type": "array", "items": {"type": "integer"}}, "anything": {}, "options": {"type": "object"},
    "maybe": {"type": ["string", "null"]}, "size": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "paths": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    "some": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/level"}}, {"type": "null"}]},
    "level": {"$ref": "#/$defs/level"}, "mode": {"enum": ["a", "b"]}, "loop": {"$ref": "#/properties/loop"},
    "wrapped": {"allOf": [{"$ref": "#/$defs/level"}]}, "bare": {"type": "array"}, "wide": {"type": ["number", "boolean"]}
  },
  "$defs": {"level": {"type": "integer"}}
})");

struct Case {
    std::vector<std::string> pairs;
    std::string expected; // an object; or what the error has in it
};

std::string outcome(std::vector<std::string> const& pairs, boost::json::value const& of) {
    auto const made = cli::call_arguments({{}, pairs}, of);
    return made ? *made : made.error().what;
}

} // namespace

TEST_CASE("key=value becomes what the tool's schema says it is") {
    std::vector<Case> const cases{
        {{}, "{}"},
        {{"text=hello"}, R"({"text":"hello"})"},
        {{"text=5"}, R"({"text":"5"})"},
        {{"text=true"}, R"({"text":"true"})"},
        {{"text={\"a\":1}"}, R"({"text":"{\"a\":1}"})"},
        {{"text="}, R"({"text":""})"},
        {{"text=a=b\n\"c\""}, R"({"text":"a=b\n\"c\""})"},
        {{"count=5"}, R"({"count":5})"},
        {{"count=-12345678901234567890123456789"}, R"({"count":-12345678901234567890123456789})"},
        {{"ratio=0.1000000000000000000000000000000001"}, R"({"ratio":0.1000000000000000000000000000000001})"},
        {{"ratio=1e400"}, R"({"ratio":1e400})"},
        {{"ratio=7"}, R"({"ratio":7})"},
        {{"flag=true"}, R"({"flag":true})"},
        {{"nothing=null"}, R"({"nothing":null})"},
        {{"tags=a"}, R"({"tags":["a"]})"},
        {{"tags=a", "text=x", "tags=b,c"}, R"({"tags":["a","b,c"],"text":"x"})"},
        {{"tags=[\"a\", \"b\"]"}, R"({"tags":["a","b"]})"},
        {{"tags=[a"}, R"({"tags":["[a"]})"},
        {{"numbers=1", "numbers=2"}, R"({"numbers":[1,2]})"},
        {{"numbers=[1,\n 2]"}, R"({"numbers":[1,2]})"},
        {{"bare=1", "bare=x"}, R"({"bare":[1,"x"]})"},
        {{"options={ \"a\" : [1, 1e400] }"}, R"({"options":{"a":[1,1e400]}})"},
        {{"maybe=null"}, R"({"maybe":"null"})"},
        {{"size=null"}, R"({"size":null})"},
        {{"size=3"}, R"({"size":3})"},
        {{"paths=/a"}, R"({"paths":"/a"})"},
        {{"paths=/a", "paths=/b"}, R"({"paths":["/a","/b"]})"},
        {{"paths=[\"/a\"]"}, R"({"paths":["/a"]})"},
        {{"some=1"}, R"({"some":[1]})"},
        {{"some=null"}, R"({"some":null})"},
        {{"level=3"}, R"({"level":3})"},
        {{"wrapped=3"}, R"({"wrapped":3})"},
        {{"mode=a"}, R"({"mode":"a"})"},
        {{"wide=true"}, R"({"wide":true})"},
        {{"loop=3"}, R"({"loop":3})"},
        {{"anything=[1, 2]"}, R"({"anything":[1,2]})"},
        {{"anything=not json"}, R"({"anything":"not json"})"},
        {{"unknown=1.50"}, R"({"unknown":1.50})"},
        {{"unknown=word"}, R"({"unknown":"word"})"},
        {{"\xc3\xa4=x"}, "{\"\xc3\xa4\":\"x\"}"},
        {{"count=five"}, "count is a whole number, not \"five\""},
        {{"count=1.5"}, "count is a whole number, not \"1.5\""},
        {{"count="}, "count is a whole number, not \"\""},
        {{"count=05"}, "count is a whole number"},
        {{"ratio=x"}, "ratio is a number, not \"x\""},
        {{"flag=yes"}, "flag is true or false, not \"yes\""},
        {{"options=[1]"}, "options is an object as JSON, not \"[1]\""},
        {{"numbers=1", "numbers=x"}, "numbers is a whole number, not \"x\""},
        {{"size=big"}, "size is a whole number or null, not \"big\""},
        {{"wide=\x1b[2J"}, "wide is true or false or a number, not \"\\u001b[2J\""},
        {{"text=a", "text=b"}, "text is given twice and is no list"},
        {{"unknown=a", "unknown=b"}, "unknown is given twice"},
        {{"word"}, "\"word\" is no argument; they are key=value"},
        {{"=x"}, "\"=x\" is no argument"},
        {{"text=\xff"}, "is no argument"},
    };
    for (auto const& [pairs, expected] : cases) {
        auto const got = outcome(pairs, schema);
        INFO((pairs.empty() ? "" : pairs[0]));
        if (expected.starts_with("{"))
            CHECK(got == expected);
        else
            CHECK(has(got, expected));
    }
}

TEST_CASE("an argument that the tool does not take is refused where its schema is closed") {
    auto const closed = boost::json::parse(R"({"properties":{"path":{"type":"string"}},"additionalProperties":false})");
    CHECK(outcome({"path=x"}, closed) == R"({"path":"x"})");
    CHECK(has(outcome({"paht=x"}, closed), "the tool does not take paht; did you mean path?"));
    CHECK(has(outcome({"colour=x"}, closed), "the tool does not take colour; it takes path"));
    auto const empty = boost::json::parse(R"({"additionalProperties":false})");
    CHECK(has(outcome({"a=1"}, empty), "it takes nothing"));
    auto const typed = boost::json::parse(R"({"additionalProperties":{"type":"string"}})");
    CHECK(outcome({"a=1"}, typed) == R"({"a":"1"})");
    auto const pattern = boost::json::parse(R"({"additionalProperties":false,"patternProperties":{"^x":{}}})");
    CHECK(outcome({"xa=1"}, pattern) == R"({"xa":1})");
}

TEST_CASE("nonsense in the place of a schema is no schema") {
    for (auto const* const text :
         {"null", "[]", "7", R"({"properties":[]})", R"({"properties":{"a":7}})", R"({"properties":{"a":{"type":7}}})",
          R"({"properties":{"a":{"$ref":"#/nowhere"}}})", R"({"properties":{"a":{"$ref":"http://x"}}})",
          R"({"properties":{"a":{"anyOf":{}}}})"})
        CHECK(outcome({"a=1"}, boost::json::parse(text)) == R"({"a":1})");
}

TEST_CASE("--args gives the whole object, and key=value wins over it") {
    auto const made = [](std::string whole, std::vector<std::string> const& pairs) {
        auto const out = cli::call_arguments({std::move(whole), pairs}, schema);
        return out ? *out : out.error().what;
    };
    CHECK(made("{ \"a\" : 1e999,\n \"text\" : \"x y\" }", {}) == R"({"a":1e999,"text":"x y"})");
    CHECK(made(R"({"text":"x","b":[1, 2]})", {"text=y", "count=1"}) == R"({"b":[1,2],"text":"y","count":1})");
    CHECK(made(R"({"te\u0078t":"x"})", {"text=y"}) == R"({"text":"y"})");
    for (auto const* const bad : {"", "[]", "{", "{} {}", "5"})
        CHECK(has(made(bad, {}), "--args takes one JSON object"));
}

TEST_CASE("a tool is named in three ways") {
    auto const named = [](std::vector<std::string> words) {
        auto const target = cli::target_in(words);
        if (!target) return std::string("none");
        return target->server + "|" + target->tool + "|" + (target->is_public ? "public" : "own") + "|" +
               std::to_string(target->pairs.size());
    };
    CHECK(named({"notion.search", "a=b"}) == "notion|search|own|1");
    CHECK(named({"notion__search"}) == "notion|search|public|0");
    CHECK(named({"notion", "search", "a=b"}) == "notion|search|own|1");
    CHECK(named({"my-server.a.b__c"}) == "my-server|a.b__c|own|0");
    CHECK(named({"notion__a.b"}) == "notion|a.b|public|0");
    CHECK(named({"notion"}) == "none");
    CHECK(named({".x"}) == "none");
    CHECK(named({"x."}) == "none");
    CHECK(named({"a=b", "c"}) == "none");
    CHECK(named({"a_b"}) == "none");
    auto const tools = boost::json::parse(R"([{"name":"s.a/b","input_schema":{"x":1}},{"name":"s.search"}])");
    auto target = *cli::target_in({"s__a_b"});
    CHECK(cli::look_up(target, tools));
    CHECK(target.tool == "a/b");
    CHECK(target.schema.is_object());
    auto other = *cli::target_in({"s.saerch"});
    CHECK(has(cli::look_up(other, tools).error().what, "s has no tool \"saerch\" (did you mean search?)"));
    CHECK(cli::look_up(other, boost::json::parse("[]")));
}

TEST_CASE("JSON is laid out without being changed") {
    auto const json = R"( {"a":[1,2.50,{"b":"x, {y}: \"z\\"}],"c":{ },"d":[],"e":"\u001b","f":null})";
    CHECK(cli::on_one_line(json) == R"({"a":[1,2.50,{"b":"x, {y}: \"z\\"}],"c":{},"d":[],"e":"\u001b","f":null})");
    CHECK(cli::indented(json) == R"({
  "a": [
    1,
    2.50,
    {
      "b": "x, {y}: \"z\\"
    }
  ],
  "c": {},
  "d": [],
  "e": "\u001b",
  "f": null
}
)");
    CHECK(cli::indented("\"\xe2\x80\xae\"") == "\"\\u202e\"\n");
    CHECK(cli::indented("") == "\n");
    for (auto const* const broken : {"{", "]", "\"", "\"\\", "}}}"}) CHECK_FALSE(cli::indented(broken).empty());
}

TEST_CASE("a result's texts are shown, and a line for what is none") {
    auto const text =
        cli::result_text(R"({"content":[{"type":"text","text":"one\ntwo"},{"type":"text","text":"three\n"},
        {"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"audio","mimeType":"audio/wav","data":"AAA="},
        {"type":"resource_link","uri":"file:///x","name":"x"},{"type":"resource","resource":{"uri":"a:b","text":"inside"}},
        {"type":"resource","resource":{"uri":"a:c","mimeType":"x/y","blob":"AA=="}},{"type":"odd"}],"structuredContent":{"a":1}})");
    CHECK(text == "one\ntwo\nthree\n[image: image/png, 3 bytes]\n[audio: audio/wav, 2 bytes]\n[link to x: file:///x]\n"
                  "[resource a:b]\ninside\n[resource a:c: x/y, 1 bytes]\n[content of the unknown kind \"odd\"; --json "
                  "shows it]\n");
    CHECK(cli::result_text(R"({"content":[],"structuredContent":{"a":12345678901234567890123}})") ==
          "{\n  \"a\": 12345678901234567890123\n}\n");
    CHECK(cli::result_text("{}").empty());
    CHECK(cli::safe_lines("a\x1b[31mb\nc") == "a\\u001b[31mb\nc\n");
}

TEST_CASE("differences are shown by line, with a little around them") {
    std::string const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n", now = "1\n2\n3\n4\nfive\n6\n7\n8\n9\nten\n";
    CHECK(cli::line_diff(cli::lines_of(before), cli::lines_of(now)) ==
          "  3\n  4\n- 5\n+ five\n  6\n  7\n  8\n  9\n+ ten\n");
    CHECK(cli::line_diff(cli::lines_of(before), cli::lines_of(before)).empty());
    CHECK(cli::line_diff({}, cli::lines_of("a\n")) == "+ a\n");
    std::string large;
    for (int i = 0; i < 5000; ++i) large += std::to_string(i) + "\n";
    CHECK(has(cli::line_diff(cli::lines_of(large), cli::lines_of(large + "x\n")), "+ x\n"));
}

TEST_CASE("what a tool says anew is shown member by member") {
    auto const* const changes = R"([
      {"tool":"add","change":"changed","pin":"d1","before":{"name":"add","description":"adds\ntwo","inputSchema":{"type":"object","properties":{"a":{}}}},
       "now":{"name":"add","description":"adds\nand mails","inputSchema":{"type":"object","properties":{"a":{}}},"\u0061nnotations":{"readOnlyHint":true}}},
      {"tool":"mail","change":"new","pin":"d2","before":null,"now":{"name":"mail","description":"\u001b[2Jmails"}},
      {"tool":"old","change":"gone","pin":"d3","before":{"name":"old"},"now":null}])";
    CHECK(cli::changes_text("s", changes) == R"(s.add has changed
  annotations:
  + {
  +   "readOnlyHint": true
  + }
  description:
    adds
  - two
  + and mails

s.mail is new
  description:
  + \u001b[2Jmails

s.old is gone
)");
    CHECK(cli::pins_of(changes) == R"({"add":"d1","mail":"d2","old":"d3"})");
    CHECK(cli::pins_of("[]") == "{}");
}
