// Scripts that do not want to end, to be bounded, or to stay inside: each is ended, and the program goes on.
#include "unit/flows/stage.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>

#include <ctime>

namespace {

using pfar::Errc;
using pfar::flows::Done;
using pfar::flows::testing::Stage;
namespace fs = std::filesystem;

double processor_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::set<fs::path> scripts(char const* folder) {
    std::set<fs::path> out;
    for (auto const& entry : fs::directory_iterator(fs::path(PFAR_SOURCE) / "tests/unit/flows" / folder))
        if (entry.path().extension() == ".lua") out.insert(entry.path());
    return out;
}

/// A secret is a handle, everything else is yes.
void play(Stage& stage) {
    stage.verbs.answer = [](auto verb, auto arguments) -> pfar::Result<Done> {
        if (verb == "ask" && !arguments.empty() && arguments[0].is_object() &&
            arguments[0].get_object().contains("secret"))
            return Done{pfar::flows::make_handle(7)};
        return Done{true};
    };
    stage.flow.budget.time = std::chrono::milliseconds(1500);
}

} // namespace

TEST_CASE("every hostile script is ended within its budget") {
    auto const all = scripts("hostile");
    REQUIRE(all.size() >= 20);
    for (auto const& script : all) {
        INFO(script.filename().native());
        Stage stage;
        play(stage);
        // a copy of ours: the tree may belong to somebody else
        stage.flow.script = stage.write(script.filename().native(), test::read(script));
        auto const before = processor_seconds();
        auto const out = pfar::flows::run_flow(stage.flow, stage.verbs);
        CHECK(processor_seconds() - before < 4.0);
        REQUIRE_FALSE(out);
        CHECK(out.error().code == Errc::invalid);
        CHECK(out.error().what.size() < 700);
        CHECK(stage.verbs.said.size() <= 1000);
        UNSCOPED_INFO(out.error().what);
        if (std::getenv("PFAR_SHOW") != nullptr)
            fmt::print("{:30} {:.2f} {}\n", script.filename().native(), processor_seconds() - before, out.error().what);
    }
    Stage after;
    CHECK(after.returned("return 1 + 1") == "2");
}

TEST_CASE("scripts that behave come to their end") {
    for (auto const& script : scripts("good")) {
        INFO(script.filename().native());
        Stage stage;
        play(stage);
        stage.flow.script = stage.write(script.filename().native(), test::read(script));
        auto const out = pfar::flows::run_flow(stage.flow, stage.verbs);
        CHECK(out);
    }
}

TEST_CASE("a script sees exactly these names") {
    Stage stage;
    CHECK(stage.returned(R"(local gone = {}
        for _, name in ipairs { "os", "io", "debug", "package", "require", "load", "loadstring", "loadfile", "dofile", "print", "rawset",
            "collectgarbage", "coroutine", "setmetatable", "getmetatable", "warn", "arg", "pfar" } do
          if _G[name] ~= nil then gone[#gone + 1] = name end
        end
        for _, name in ipairs { "rep", "dump", "pack", "unpack", "packsize" } do
          if string[name] ~= nil or ("")[name] ~= nil then gone[#gone + 1] = name end
        end
        if table.move or table.pack or math.randomseed then gone[#gone + 1] = "more" end
        return #gone)") == "0");
    CHECK(
        stage.returned(
            R"(return ("x"):upper() .. string.format("%d", 3) .. #utf8.char(228) .. math.type(1) .. select("#", 1, 2))") ==
        R"("X32integer2")");
}

TEST_CASE("no pcall hears of a verb's error, and nothing of the script runs after it") {
    Stage stage;
    stage.verbs.answer = [](auto verb, auto) -> pfar::Result<Done> {
        if (verb == "ask") return pfar::fail(Errc::refused, "the person gave up");
        return Done{};
    };
    auto const out = stage.run("pcall(ask, {}) say 'still here'");
    REQUIRE_FALSE(out);
    CHECK(out.error().code == Errc::refused);
    CHECK(out.error().what == "the person gave up");
    CHECK(stage.verbs.said == std::vector<std::string>{"ask [{}]"});
}

TEST_CASE("a mistake is told with the file and its line") {
    Stage stage;
    CHECK(
        stage.returned("local x = 1\nreturn x.y.z").starts_with("error: the script of try has a mistake: try.lua:2: "));
    CHECK(stage.returned("local x = = 1").find("try.lua:1: ") != std::string::npos);
    CHECK(stage.returned("\n\nsay(say)").find("try.lua:3: say: a value is or has in it a function") !=
          std::string::npos);
    CHECK(stage.returned("error('\\27[31m' .. '\\226\\128\\174', 0)").find('\x1b') == std::string::npos);
    CHECK(stage.returned("\npcall(say, say)").find("try.lua:2: say: ") != std::string::npos);
    stage.verbs.answer = [](auto, auto) -> pfar::Result<Done> { return pfar::fail(Errc::invalid, "say wants a text"); };
    CHECK(stage.returned("\nsay {}") == "error: try.lua:2: say wants a text");
}

TEST_CASE("a handle comes back as what it was, and as nothing else") {
    Stage stage;
    stage.verbs.answer = [](auto verb, auto) -> pfar::Result<Done> {
        if (verb == "ask") return Done{pfar::flows::make_handle(18446744073709551615ULL)};
        return Done{};
    };
    CHECK(stage.returned(
              "local h = ask {} store { value = h } return { tostring(h), type(h), h == h, (#tostring(h)) }") ==
          R"(["secret","userdata",true,6])");
    CHECK(stage.verbs.said[1] == R"(store [{"value":{"pfar.secret":18446744073709551615}}])");
    CHECK(stage.returned("return string.format('%s', ask {})") == R"("secret")");
}

TEST_CASE("libraries run first, in the same globals; input is there") {
    Stage stage;
    stage.flow.libraries = {stage.write("prelude.lua", "function twice(x) return x .. x end")};
    stage.flow.input = {{"name", "notion"}, {"list", {1, nullptr, 3}}, {"none", nullptr}};
    CHECK(stage.returned(
              "return { twice(input.name), #input.list, input.list[2] == null, input.none == nil, input.list }") ==
          R"(["notionnotion",3,true,true,[1,null,3]])");
    stage.flow.libraries = {stage.directory / "missing.lua"};
    CHECK_FALSE(stage.run("return 1"));
}

TEST_CASE("a script that others can write is not run") {
    Stage stage;
    CHECK(stage.returned("return 1") == "1");
    fs::permissions(stage.flow.script, fs::perms(0666));
    auto const out = pfar::flows::run_flow(stage.flow, stage.verbs);
    REQUIRE_FALSE(out);
    CHECK(out.error().code == Errc::refused);
}

TEST_CASE("the budget is of the time between two verbs, and of the whole flow") {
    Stage stage;
    stage.flow.budget.steps = 100'000;
    CHECK(stage.returned("for i = 1, 20 do for j = 1, 5000 do end say 'x' end return 'done'") == R"("done")");
    CHECK(stage.returned("for i = 1, 1000 do for j = 1, 40000 do end say 'x' end").find("as a whole") !=
          std::string::npos);
}
