// Semantics: rules by tool and by arguments, their order, what is remembered, and what becomes of mistakes.
#include "flows/semantics.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>

namespace {

using pfar::base::Semantics;
using pfar::flows::Asked;
using pfar::flows::Word;

std::string said(Word const& word) {
    if (!word.trouble.empty()) return word.semantics == Semantics::write ? "trouble" : "trouble, but not a write";
    if (!word.semantics) return "nothing";
    return *word.semantics == Semantics::read ? "read" : "write";
}

Asked asked(std::string_view server, std::string_view tool, std::string_view arguments = {}) {
    return {server, tool, "", "{}", arguments, false};
}

struct Book {
    test::TempDir directory;
    std::vector<std::filesystem::path> files;

    explicit Book(std::vector<std::string> const& scripts) {
        for (auto const& text : scripts)
            files.push_back(directory.write(fmt::format("{}/semantics.lua", files.size()), text));
    }
};

constexpr char by_name[] =
    R"(rule { name = "by name", server = "a", tool = { "x", "get_.*" }, decide = function(call) return "read" end })";

} // namespace

TEST_CASE("a rule is about the servers and tools that it names") {
    Book const book({by_name});
    pfar::flows::Semantics semantics(book.files);
    CHECK(said(semantics.of(asked("a", "x"), "1")) == "read");
    CHECK(said(semantics.of(asked("a", "get_it"), "1")) == "read");
    CHECK(said(semantics.of(asked("a", "forget_it"), "1")) == "nothing");
    CHECK(said(semantics.of(asked("b", "x"), "1")) == "nothing");
    CHECK(semantics.of(asked("a", "x"), "1").rule.ends_with("/0/semantics.lua:1: by name"));
}

TEST_CASE("a name with a minus or a dot is a name, not a pattern") {
    Book const book({R"(rule { name = "n", tool = { "read-file", "a.b" }, decide = function() return "read" end })"});
    pfar::flows::Semantics semantics(book.files);
    CHECK(said(semantics.of(asked("s", "read-file"), "1")) == "read");
    CHECK(said(semantics.of(asked("s", "a.b"), "1")) == "read");
    CHECK(said(semantics.of(asked("s", "axb"), "1")) == "nothing");
}

TEST_CASE("the owner's rules come first, and the first word decides") {
    Book const book({R"(rule { name = "owner", tool = "x", decide = function() return "write" end }
                        rule { name = "silent", decide = function() return nil end })",
                     R"(rule { name = "shipped", decide = function() return "read" end })"});
    pfar::flows::Semantics semantics(book.files);
    CHECK(said(semantics.of(asked("a", "x"), "1")) == "write");
    CHECK(said(semantics.of(asked("a", "y"), "1")) == "read");
    CHECK(semantics.of(asked("a", "y"), "1").rule.ends_with("/1/semantics.lua:1: shipped"));
}

TEST_CASE("without arguments the first rule that needs none decides, unless one before it may") {
    Book const book(
        {R"(rule { name = "A", tool = "x", arguments = true, decide = function(call) return call.arguments.w and "write" end }
                        rule { name = "B", tool = "x", decide = function() return "read" end })"});
    pfar::flows::Semantics semantics(book.files);
    auto const open = semantics.of({"a", "x", "", "{}", "", false}, "1");
    CHECK(said(open) == "read");
    CHECK(open.by_arguments);
    CHECK(open.rule.ends_with(": B"));
    CHECK(open.unless.ends_with(": A"));
    CHECK(said(semantics.of({"a", "x", "", "{}", R"({"w":1})", false}, "1")) == "write");
    CHECK(said(semantics.of({"a", "x", "", "{}", "{}", false}, "1")) == "read");
}

TEST_CASE("a word by tool is remembered for its pin; one by arguments is not") {
    Book const book({R"(local count = 0
        rule { name = "odd", tool = "x", decide = function() count = count + 1 return count % 2 == 1 and "read" or "write" end }
        rule { name = "args", tool = "y", arguments = true, decide = function(call) return call.arguments.w and "write" or "read" end })"});
    pfar::flows::Semantics semantics(book.files);
    CHECK(said(semantics.of(asked("a", "x"), "1")) == "read");
    CHECK(said(semantics.of(asked("a", "x"), "1")) == "read");
    CHECK(said(semantics.of(asked("a", "x"), "2")) == "write"); // another tool of the same name
    auto const word = semantics.of(asked("a", "y", R"({"w":1})"), "1");
    CHECK(said(word) == "write");
    CHECK(word.by_arguments);
    CHECK(said(semantics.of(asked("a", "y", "{}"), "1")) == "read");
    auto const open = semantics.of(asked("a", "y"), "1");
    CHECK(said(open) == "nothing");
    CHECK(open.by_arguments);
    CHECK(open.unless.ends_with(": args"));
}

TEST_CASE("arguments are seen as they are") {
    Book const book({R"(rule { name = "n", arguments = true, decide = function(call)
        local a = call.arguments
        assert(a.list[1] == null and a.list[2] == "x" and #a.list == 2 and a.none == nil and a.deep.er == 1.5 and a.big == 9007199254740993)
        assert(call.server == "s" and call.tool == "t" and call.hint == false and call.title == "")
        a.list = nil
        return "read"
      end })"});
    pfar::flows::Semantics semantics(book.files);
    auto const word = semantics.of(
        asked("s", "t", R"({"list":[null,"x"],"none":null,"deep":{"er":1.5},"big":9007199254740993})"), "1");
    CHECK(word.trouble == "");
    CHECK(said(word) == "read");
}

TEST_CASE("a rule's mistake is a write, with the place") {
    for (auto const* const decide :
         {"error('no')", "local x = call.no.where", "return 'maybe'", "return 1", "return {}", "return true",
          "while true do end", "while true do pcall(error) end", "local s = 'x' while true do s = s .. s end", "x = 1",
          "rule { name = 'late', decide = print }", "return ('x'):rep(10)"}) {
        INFO(decide);
        Book const book({fmt::format("rule {{ name = 'n', decide = function(call) {} end }}", decide)});
        pfar::flows::Semantics semantics(book.files);
        auto const word = semantics.of(asked("a", "x", "{}"), "1");
        CHECK(said(word) == "trouble");
        CHECK(word.rule.ends_with("semantics.lua:1: n"));
        CHECK(said(semantics.of(asked("a", "x", "{}"), "1")) == "trouble"); // and again
    }
}

TEST_CASE("after a call that used up its budget the next one is asked as if nothing had been") {
    Book const book({R"(local kept = {}
      rule { name = "n", arguments = true, decide = function(call)
        if call.arguments.spin then while true do kept[#kept + 1] = { 1 } end end
        return "read"
      end })"});
    pfar::flows::Semantics semantics(book.files);
    for (int i = 0; i < 5; ++i) {
        CHECK(said(semantics.of(asked("a", "x", R"({"spin":true})"), "1")) == "trouble");
        CHECK(said(semantics.of(asked("a", "x", "{}"), "1")) == "read");
    }
}

TEST_CASE("arguments that cannot be shown to a rule are a write") {
    Book const book({R"(rule { name = "n", arguments = true, decide = function(call) return "read" end })"});
    pfar::flows::Semantics semantics(book.files);
    CHECK(said(semantics.of(asked("a", "x", R"({"a":1})"), "1")) == "read");
    CHECK(said(semantics.of(asked("a", "x", R"({"a":)"), "1")) == "trouble");
    auto const large = fmt::format(R"({{"a":"{}"}})", std::string(300'000, 'x'));
    CHECK(said(semantics.of(asked("a", "x", large), "1")) == "trouble");
    std::string const deep = R"({"a":)" + std::string(100, '[') + std::string(100, ']') + "}";
    CHECK(said(semantics.of(asked("a", "x", deep), "1")) == "trouble");
}

TEST_CASE("a script that does not load makes everything a write until it does") {
    for (auto const* const text :
         {"rule {", "rule {}", "rule { name = 'n' }", "rule { name = 'n', decide = 1 }",
          "rule { name = 'n', tools = 'x', decide = error }", "rule { name = 'n', tool = {}, decide = error }",
          "rule { name = 'n', tool = '[', decide = error }", "while true do end", "os.exit()", "error {}",
          "for i = 1, 1000 do rule { name = 'n', decide = error } end"}) {
        INFO(text);
        Book const book({text, by_name});
        pfar::flows::Semantics semantics(book.files);
        auto const word = semantics.of(asked("a", "x"), "1");
        CHECK(said(word) == "trouble");
        CHECK(word.trouble.find("semantics.lua") != std::string::npos);
        CHECK_FALSE(semantics.reload());
        book.directory.write("0/semantics.lua", "");
        CHECK(semantics.reload());
        CHECK(said(semantics.of(asked("a", "x"), "1")) == "read");
    }
}

TEST_CASE("a script that is not there is left out") {
    Book const book({by_name});
    pfar::flows::Semantics semantics({"/nowhere/semantics.lua", book.files[0]});
    CHECK(said(semantics.of(asked("a", "x"), "1")) == "read");
}

TEST_CASE("scripts do not see each other's globals, and cannot change what others use") {
    Book const book(
        {"mine = 1 function helper() return 'read' end",
         "rule { name = 'n', decide = function() return mine == nil and helper == nil and 'read' or 'write' end }"});
    pfar::flows::Semantics semantics(book.files);
    CHECK(said(semantics.of(asked("a", "x"), "1")) == "read");
    Book const bad({"string.lower = function() return 'select' end"});
    CHECK_FALSE(pfar::flows::Semantics(bad.files).reload());
}

TEST_CASE("a rule sees the title that is pinned, and no other") {
    Book const book(
        {R"(rule { name = "n", decide = function(call) return call.title == "Pinned" and "read" or "write" end })"});
    pfar::flows::Semantics semantics(book.files);
    CHECK(said(semantics.of({"s", "t", "", R"({"title":"Other","annotations":{"title":"Pinned"}})", "{}", false},
                            "1")) == "read");
    CHECK(said(semantics.of({"s", "t", "", R"({"title":"Pinned","annotations":{}})", "{}", false}, "2")) == "write");
    CHECK(said(semantics.of({"s", "t", "", R"({"title":"Pinned"})", "{}", false}, "3")) == "write");
}

TEST_CASE("asking is quick: a thousand statements in a moment") {
    Book const book({R"(rule { name = "n", arguments = true, decide = function(call)
        for word in call.arguments.sql:gmatch "%a+" do if word == "DROP" then return "write" end end
        return "read"
      end })"});
    pfar::flows::Semantics semantics(book.files);
    auto const begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i)
        REQUIRE(said(semantics.of(asked("a", "x", R"({"sql":"SELECT a, b, c FROM t WHERE d = 1 ORDER BY e"})"), "1")) ==
                "read");
    auto const took = std::chrono::steady_clock::now() - begin;
    CHECK(took < std::chrono::seconds(5)); // 22 ms when it was written, with sanitizers
    UNSCOPED_INFO(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
}
