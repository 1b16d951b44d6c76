#include "servers/diagnosis.hpp"
#include "support/temp_dir.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>

using namespace pfar;
using namespace pfar::servers;

namespace {

std::string guess(std::string const& text) {
    auto const said = boost::json::serialize(boost::json::object{
        {"isError", true}, {"content", boost::json::array{boost::json::object{{"type", "text"}, {"text", text}}}}});
    return diagnose({said, {}, {}, "notes"});
}

bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

std::string last_text(std::string const& result) {
    return boost::json::parse(result).at("content").as_array().back().at("text").as_string().c_str();
}

} // namespace

TEST_CASE("every sign of a denied operation is told as a guess with the remedy") {
    for (auto const* const said :
         {"EACCES: permission denied, open 'x'", "Error: EPERM", "[Errno 30] EROFS", "sh: x: Permission denied",
          "Operation not permitted", "Read-only file system", "first line\nEACCES on the second"}) {
        INFO(said);
        CHECK(has(guess(said), "denied, perhaps by the sandbox"));
        CHECK(has(guess(said), "pfar plan"));
        CHECK(has(guess(said), "(a guess)"));
    }
    for (auto const* const said :
         {"connect ECONNREFUSED 10.0.0.1:443", "Connection refused", "getaddrinfo ENOTFOUND api.example.com",
          "getaddrinfo EAI_AGAIN x", "Name or service not known", "Network is unreachable"}) {
        INFO(said);
        CHECK(has(guess(said), "the sandbox has no way there (a guess)"));
    }
}

TEST_CASE("words that only have a sign within them are none") {
    for (auto const* const said :
         {"FileNotFoundError: no page of this name", "ModuleNotFoundError", "ResourceNotFound", "fileAccess is off",
          "superman", "the database has no such table", "permission was denied by the API", ""}) {
        INFO(said);
        CHECK(guess(said).empty());
    }
}

TEST_CASE("a missing path that exists outside is named, in whatever way programs write it") {
    test::TempDir const dir;
    auto const file = dir.write("a/notes.txt", "x").native();
    for (auto const* const form : {"ENOENT: no such file or directory, open '{}'", "open {}: no such file or directory",
                                   "[Errno 2] No such file or directory: '{}'", "cat: {}: No such file or directory",
                                   "no such file: {}.", "Error:\n{}\nENOENT", "No such file (path={})", "`{}`: ENOENT",
                                   "no such file \"{}\"", "no such file {}, sorry"}) {
        INFO(form);
        auto const hint = guess(fmt::format(fmt::runtime(form), file));
        CHECK(has(hint, "; " + file + " exists, but not inside the sandbox"));
        CHECK(has(hint, "[access] fs"));
        CHECK(has(hint, "(a guess)"));
    }
    CHECK(has(diagnose({R"({"message":"ENOENT )" + std::string(R"(\/usr\/bin)") + "\"}", {}, {}, "x"}),
              "/usr/bin exists"));
}

TEST_CASE("a missing path that does not exist outside either is no reason for a hint") {
    test::TempDir const dir;
    CHECK(guess("ENOENT: no such file or directory, open '" + (dir / "nothing").native() + "'").empty());
    CHECK(guess("ENOENT").empty());
    CHECK(guess("no such file: notes/today.md").empty());
    CHECK(guess("no such file: https://example.com/usr/bin").empty());
    CHECK(guess("no such file: /").empty());
    CHECK(guess("no such file: /proc/self/status, /dev/null").empty());
    CHECK(guess("it exists: '" + dir.path().native() + "'").empty());
}

TEST_CASE("a path that is made to be long or many does not take long") {
    auto const begun = std::chrono::steady_clock::now();
    guess("ENOENT " + std::string(10 << 20, '/'));
    std::string many = "ENOENT";
    for (int i = 0; i < 500'000; ++i) many += " /x" + std::to_string(i);
    guess(many);
    guess("ENOENT '/" + std::string(1 << 20, 'a'));
    guess("ENOENT " + std::string(1 << 20, '\\'));
    guess(std::string(1 << 20, 'e'));
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(10));
}

TEST_CASE("what the filter refused meanwhile comes before any guess, with the line that allows it") {
    auto const asked = std::chrono::steady_clock::now();
    BlockedDomain before{"old.example.com", "not allowed", "pfar allow notes old.example.com", 3};
    BlockedDomain meanwhile{"new.example.com", "not allowed", "pfar allow notes new.example.com", 1};
    before.last = asked - std::chrono::seconds(1), meanwhile.last = asked + std::chrono::milliseconds(1);
    auto const hint = diagnose({R"({"message":"ECONNREFUSED"})", asked, {before, meanwhile}, "notes"});
    CHECK(hint == "; meanwhile it was kept from new.example.com: to allow it, run: pfar allow notes new.example.com");
    CHECK(diagnose({"", asked, {before}, "notes"}).empty());
    CHECK(has(diagnose({R"({"message":"ECONNREFUSED"})", asked, {before}, "notes"}), "(a guess)"));
    before.last = asked; // again
    CHECK(has(diagnose({"", asked, {before}, "notes"}), "kept from old.example.com"));
}

TEST_CASE("of many that were refused five are named, and those without a remedy or a name as they are") {
    std::vector<BlockedDomain> many;
    for (char c = 'a'; c <= 'z'; ++c) many.push_back({std::string(1, c) + ".example.com", "not allowed", "", 1});
    auto const hint = diagnose({"", {}, many, "notes"});
    CHECK(has(hint, "e.example.com"));
    CHECK_FALSE(has(hint, "f.example.com"));
    CHECK(has(hint, "and from 21 more"));
    CHECK_FALSE(has(hint, "to allow it"));
    CHECK(diagnose({"", {}, {{"", "too many names", "", 9}}, "notes"}).empty());
    CHECK(has(diagnose({"", {}, {{"a\x1b[31m", "", "", 1}}, "notes"}), "a\\u001b[31m"));
}

TEST_CASE("only a result that says isError says so") {
    CHECK(says_error(R"({"content":[],"isError":true})"));
    CHECK(says_error(R"({"isError": true })"));
    for (auto const* const none :
         {R"({"isError":false})", R"({"isError":"true"})", R"({"a":{"isError":true}})", "{}", "", "true"})
        CHECK_FALSE(says_error(none));
}

TEST_CASE("a hint is one more text in the content, and the JSON stays what it was otherwise") {
    auto const hinted = with_hint(R"({"content":[{"type":"text","text":"no ]"}],"isError":true,"_meta":{"n":1.50}})",
                                  "; see \"here\"\n", false);
    CHECK(
        hinted ==
        R"({"content":[{"type":"text","text":"no ]"},{"type":"text","text":"[pfar] see \"here\"\n"}],"isError":true,"_meta":{"n":1.50}})");
    for (auto const* const empty : {R"({"content":[]})", R"({"content":[ ] })", "{\"content\":[\t]}"})
        CHECK(last_text(with_hint(empty, "why", false)) == "[pfar] why");
    CHECK(last_text(with_hint(R"({"content":[ {"type":"text","text":"x"} ]})", "why", false)) == "[pfar] why");
}

TEST_CASE("a result without a list as its content, or no JSON at all, stays as it is") {
    for (auto const* const other : {R"({"isError":true})", R"({"content":"text"})", R"({"content":{"a":[1]}})",
                                    R"({"content":null})", "[]", "", R"({"content":[)", "nonsense"})
        CHECK(with_hint(other, "why", false) == other);
}

TEST_CASE("an error object has the hint behind its message, whatever is in that") {
    CHECK(with_hint(R"({"code":1,"message":"no","data":[1]})", "; why", true) ==
          R"({"code":1,"message":"no [pfar] why","data":[1]})");
    CHECK(with_hint(R"({"message":"","code":1})", "a\"b", true) == R"({"message":" [pfar] a\"b","code":1})");
    CHECK(with_hint(R"({"code":1,"message":"\ud800 \"x\""})", "why", true) ==
          R"({"code":1,"message":"\ud800 \"x\" [pfar] why"})");
    CHECK(with_hint(R"({"code":1,"message":7})", "why", true) == R"({"code":1,"message":"[pfar] why"})");
    CHECK(with_hint(R"({"code":1})", "why", true) == R"({"code":1})");
    auto const parsed = boost::json::parse(with_hint(R"({"code":1,"message":"tab\there"})", "line\nbreak", true));
    CHECK(parsed.at("message").as_string() == "tab\there [pfar] line\nbreak");
}

TEST_CASE("a file that runs npx is told what npx needs, and others are not") {
    config::ServerSpec spec;
    spec.server.command = "/usr/bin/npx";
    spec.server.args = {"-y", "@scope/server", "--flag"};
    auto const words = npx_words(spec, "exit code 1");
    CHECK(has(words, "allowed_domains needs the package registry"));
    CHECK(has(words, "pfar connect npm:@scope/server"));
    CHECK_FALSE(has(words, "tmp_size"));
    CHECK(has(npx_words(spec, "npm ERR! ENOSPC"), "tmp_size, under [sandbox], more than 64m"));
    spec.server.args = {"-y"};
    CHECK(has(npx_words(spec, ""), "pfar connect PACKAGE"));
    spec.server.command = "node";
    spec.server.args = {"/usr/lib/node_modules/npm/bin/npx-cli.js", "-y", "server-x"};
    CHECK(has(npx_words(spec, ""), "pfar connect npm:server-x"));
    spec.server.args = {"index.js", "npx"};
    CHECK(npx_words(spec, "ENOSPC").empty());
    spec.server = {};
    spec.server.command = "npxy";
    CHECK(npx_words(spec, "").empty());
}
