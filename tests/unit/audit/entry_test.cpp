#include "audit/entry.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

using namespace pfar::audit;

namespace {

boost::json::object parsed(Event event) {
    auto const when = std::chrono::system_clock::time_point(std::chrono::milliseconds(1794847200123));
    auto const text = entry_text(std::move(event), when);
    CHECK(text.size() < longest_line - 256);
    CHECK(text.find('\n') == std::string::npos);
    return boost::json::parse("{" + text + "}").as_object();
}

} // namespace

TEST_CASE("an entry has the time to the millisecond, the kind, and then the details in their order") {
    auto const when = std::chrono::system_clock::time_point(std::chrono::milliseconds(1794847200123));
    CHECK(entry_text({"egress", {{"server", "notion"}, {"bytes", 3}}}, when) ==
          R"("ts":"2026-11-16T16:40:00.123Z","kind":"egress","server":"notion","bytes":3)");
    CHECK(entry_text({"start", {}}, when) == R"("ts":"2026-11-16T16:40:00.123Z","kind":"start")");
}

TEST_CASE("whatever text an event has reads back as it was, and cannot disturb a terminal") {
    std::string const text = "line\nbreak \x1b[31m \u202e \u2028 \\x41 \"q\" \u00fc \x7f";
    auto const when = std::chrono::system_clock::now();
    auto const entry = entry_text({"call", {{"argument", text}}}, when);
    CHECK(parsed({"call", {{"argument", text}}}).at("argument").as_string() == text);
    for (auto const* const harmful : {"\n", "\x1b", "\u202e", "\u2028", "\x7f"})
        CHECK(entry.find(harmful) == std::string::npos);
    CHECK(entry.find("\u00fc") != std::string::npos);
}

TEST_CASE("broken UTF-8 is shown as escapes, in keys and deep inside too") {
    auto const out = parsed({"c\xff", {{"k\xfe", boost::json::array{"\xc3(", boost::json::object{{"x", "\x80"}}}}}});
    CHECK(out.at("kind").as_string() == "c\\xff");
    auto const& list = out.at("k\\xfe").as_array();
    CHECK(list[0].as_string() == "\\xc3(");
    CHECK(list[1].at("x").as_string() == "\\x80");
}

TEST_CASE("an entry that would be too long keeps its short members and says so") {
    auto const out = parsed({"call", {{"server", "notion"}, {"result", std::string(100'000, 'x')}, {"n", 1}}});
    CHECK(out.at("server").as_string() == "notion");
    CHECK(out.at("n").as_int64() == 1);
    CHECK(out.at("too_long").as_bool());
    CHECK_FALSE(out.contains("result"));
    CHECK(parsed({"call", {{"escapes", std::string(30'000, '\x7f')}}})
              .contains("too_long")); // six times as long when written
    boost::json::object many;
    for (int i = 0; i < 50'000; ++i) many[std::to_string(i)] = i;
    CHECK(parsed({"call", std::move(many)}).contains("too_long"));
    CHECK(parsed({std::string(100'000, 'k'), {}}).at("kind").as_string().size() == 256);
}

TEST_CASE("a detail cannot take the place of what the record itself says") {
    auto const out = parsed({"call", {{"hash", "a"}, {"seq", 7}, {"kind", "b"}, {"prev", 1}, {"ts", 2}}});
    CHECK(out.at("kind").as_string() == "call");
    CHECK(out.at("hash_").as_string() == "a");
    CHECK(out.at("seq_").as_int64() == 7);
    CHECK(out.at("kind_").as_string() == "b");
    CHECK_FALSE(out.contains("hash"));
}

TEST_CASE("members that are JSON already are put in as they are, behind the details") {
    auto const when = std::chrono::system_clock::time_point(std::chrono::milliseconds(1794847200123));
    CHECK(entry_text({"call", {}, R"("server":"a","arguments":{"b" : [1.50,"\u00fc"]})"}, when) ==
          R"("ts":"2026-11-16T16:40:00.123Z","kind":"call","server":"a","arguments":{"b" : [1.50,"\u00fc"]})");
    CHECK(entry_text({"call", {{"server", "a"}}, R"("ms":3)"}, when) ==
          R"("ts":"2026-11-16T16:40:00.123Z","kind":"call","server":"a","ms":3)");
}

TEST_CASE("members cannot end a line or disturb a terminal, whoever vouched for them") {
    auto const out = parsed({"call", {}, "\"a\":\"x\n\x1b[2J\u2028\u202e\x7f\u0085\",\"b\":\"\u00fc\u20ac\u201c\""});
    CHECK(out.at("a").as_string() == "x\n\x1b[2J\u2028\u202e\x7f\u0085");
    CHECK(out.at("b").as_string() == "\u00fc\u20ac\u201c");
    auto const text = entry_text({"call", {}, "\"a\":\"x\n\x1b[2J\u2028\u202e\x7f\u0085\u201c\""}, {});
    for (auto const* const harmful : {"\n", "\x1b", "\u202e", "\u2028", "\x7f", "\u0085"})
        CHECK(text.find(harmful) == std::string::npos);
    CHECK(text.find("\u201c") != std::string::npos);
    auto const broken = parsed({"call", {}, "\"a\":\"\xff \xe2\x80 \n\xc3\xbc\""});
    CHECK(broken.at("a").as_string() == "\\xff \\xe2\\x80 \n\u00fc");
}

TEST_CASE("half a surrogate pair hides no line: it is shown as one that nobody knows") {
    for (auto const* const half : {R"(\ud800)", R"(\uDFFF)"}) {
        auto const out = parsed({"call", {}, fmt::format(R"("arguments":{{"x":"kept","p":"{}"}})", half)});
        CHECK(out.at("arguments").at("x") == "kept");
        CHECK(out.at("arguments").at("p") == "\xef\xbf\xbd");
    }
    CHECK(parsed({"call", {}, R"("a":"\ud83d\ude00")"}).at("a") == "\xf0\x9f\x98\x80");
}

TEST_CASE("members that would be too long keep what is short and say so") {
    auto const long_one = R"("server":"a","result":{"text":")" + std::string(100'000, 'x') + R"("},"ms":3)";
    auto const out = parsed({"call", {{"session", "s"}}, long_one});
    CHECK(out.at("session").as_string() == "s");
    CHECK(out.at("server").as_string() == "a");
    CHECK(out.at("ms").as_int64() == 3);
    CHECK(out.at("too_long").as_bool());
    CHECK_FALSE(out.contains("result"));
    CHECK(parsed({"call", {}, R"("a":")" + std::string(20'000, '\x7f') + "\""}).contains("too_long"));
    CHECK(parsed({"call", {}, std::string(100'000, 'x')}).contains("too_long")); // no JSON at all
    CHECK(parsed({"call", {{"long", std::string(100'000, 'x')}}, R"("ms":3)"}).at("ms").as_int64() == 3);
}

TEST_CASE("what the redactor knows is not in an entry, and the entry stays JSON") {
    pfar::Secret const token("ntn_0123456789"), structure(R"("b":{"c":1})"), number("4711471147114711");
    auto const redactor = std::make_shared<pfar::base::Redactor const>(
        std::vector<pfar::base::Redactor::Known>{{"token", &token}, {"structure", &structure}, {"number", &number}});
    auto const redacted = [&](Event event) {
        event.redactor = redactor;
        return parsed(std::move(event));
    };
    auto const out = redacted({"call", {{"a", "say ntn_0123456789"}}, R"("b":"ntn_0123456789","n":4711471147114711)"});
    CHECK(out.at("a").as_string() == "say [redacted:token]");
    CHECK(out.at("b").as_string() == "[redacted:token]");
    CHECK(out.at("n").as_string() == "[redacted:number]");
    CHECK(redacted({"call", {{"a", 1}}, ""}).at("a").as_int64() == 1);
    auto const odd = redacted({"call", {}, R"("a":1,"b":{"c":1})"});
    CHECK(odd.at("kind").as_string() == "call");
    CHECK_FALSE(odd.contains("b"));
}
