#include "lint/co_await.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

using test::co_await_traps;

TEST_CASE("the trap is seen in every form") {
    CHECK(co_await_traps("co_await f(Agg{1});").size() == 1);
    CHECK(co_await_traps("auto x = co_await f({.a = 1});").size() == 1);
    CHECK(co_await_traps("co_await co_spawn(ex, [p = std::move(p)]() mutable { return 1; });").size() == 1);
    CHECK(co_await_traps("if (co_await f(\n  x, // why {\n  {1, 2})) return;") == std::vector{1});
    CHECK(co_await_traps("a;\nb(co_await f(x), g);\nco_return co_await h(Y{});") == std::vector{3});
}

TEST_CASE("a choice inside of the expression is seen") {
    CHECK(co_await_traps("co_await f(a ? b + c : d);").size() == 1);
    CHECK(co_await_traps("auto const x = co_await f(y) ? 1 : 2;").empty());
}

TEST_CASE("a negated co_await is seen") {
    CHECK(co_await_traps("if (!co_await f()) return;").size() == 1);
    CHECK(co_await_traps("while (! (co_await f())) {}").size() == 1);
    CHECK(co_await_traps("auto const ok = co_await f();\nif (!ok) return;").empty());
}

TEST_CASE("a co_await that is one side of a choice is seen") {
    CHECK(co_await_traps("auto x = c ? co_await a() : co_await b();") == std::vector{1, 1});
    CHECK(co_await_traps("co_return c ? T()\n    : co_await b();") == std::vector{2});
    CHECK(co_await_traps("auto x = c ? (co_await a()) : b;").size() == 1);
    CHECK(co_await_traps("auto x = co_await a();\nauto y = c ? x : b;").empty());
    CHECK(
        co_await_traps("auto y = c ? 1 : 2;\nswitch (y) {\ncase 1: co_await f();\ndefault: co_await g();\n}").empty());
    CHECK(co_await_traps("for (auto& x : co_await list()) f(x);").empty());
}

TEST_CASE("braces that are no part of the expression are not taken for it") {
    CHECK(co_await_traps("if (co_await f(x)) { g(); }").empty());
    CHECK(co_await_traps("while (auto r = co_await f(x)) {\n}").empty());
    CHECK(co_await_traps("co_await f(\"{\", '{', R\"x({)x\", 1'000); if (y) {}").empty());
    CHECK(co_await_traps("// co_await f({})\n/* co_await g({}) */ int not_co_await{};").empty());
}

TEST_CASE("no file of the project has one of the traps") {
    for (auto const* const folder : {"/host", "/plugins", "/plugin-api", "/tests"}) {
        for (auto const& entry : std::filesystem::recursive_directory_iterator(std::string(PFAR_SOURCE) + folder)) {
            auto const path = entry.path();
            if ((path.extension() != ".cpp" && path.extension() != ".hpp") || path.parent_path().filename() == "lint")
                continue;
            for (auto const line : co_await_traps(test::read(path)))
                FAIL_CHECK(path.native() << ":" << line
                                         << ": name it first: the value before co_await f(std::move(value)), the "
                                            "result before it is tested; a choice between two is an if");
        }
    }
}
