#include "audit/entry.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

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
