#include "lint/co_await.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

using test::braces_in_co_await;

TEST_CASE("the trap is seen in every form") {
    CHECK(braces_in_co_await("co_await f(Agg{1});").size() == 1);
    CHECK(braces_in_co_await("auto x = co_await f({.a = 1});").size() == 1);
    CHECK(braces_in_co_await("co_await co_spawn(ex, [p = std::move(p)]() mutable { return 1; });").size() == 1);
    CHECK(braces_in_co_await("if (co_await f(\n  x, // why {\n  {1, 2})) return;") == std::vector{1});
    CHECK(braces_in_co_await("a;\nb(co_await f(x), g);\nco_return co_await h(Y{});") == std::vector{3});
}

TEST_CASE("braces that are no part of the expression are not taken for it") {
    CHECK(braces_in_co_await("if (co_await f(x)) { g(); }").empty());
    CHECK(braces_in_co_await("while (auto r = co_await f(x)) {\n}").empty());
    CHECK(braces_in_co_await("co_await f(\"{\", '{', R\"x({)x\", 1'000); if (y) {}").empty());
    CHECK(braces_in_co_await("// co_await f({})\n/* co_await g({}) */ int not_co_await{};").empty());
}

TEST_CASE("no file of the project has braces inside a co_await expression") {
    for (auto const* const folder : {"/host", "/plugins", "/plugin-api", "/tests"}) {
        for (auto const& entry : std::filesystem::recursive_directory_iterator(std::string(PFAR_SOURCE) + folder)) {
            auto const path = entry.path();
            if ((path.extension() != ".cpp" && path.extension() != ".hpp") || path.parent_path().filename() == "lint")
                continue;
            for (auto const line : braces_in_co_await(test::read(path)))
                FAIL_CHECK(path.native() << ":" << line << ": name the value first, then co_await f(std::move(value))");
        }
    }
}
