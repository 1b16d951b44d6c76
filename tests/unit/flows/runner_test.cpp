// Flows: what scripts can do with verbs, and what comes back.
#include "unit/flows/stage.hpp"

#include <catch2/catch_test_macros.hpp>

namespace {

using pfar::Errc;
using pfar::flows::Done;
using pfar::flows::testing::Stage;
namespace json = boost::json;

} // namespace

TEST_CASE("a script calls verbs and goes on with what they give") {
    Stage stage;
    stage.verbs.answer = [](auto verb, auto) -> pfar::Result<Done> {
        if (verb == "ask") return Done{"Ada", "asked twice"};
        return Done{};
    };
    CHECK(stage.returned(R"(local name, why = ask { prompt = "Who?", choices = {"a", "b"} }
        say("Hello, " .. name, 2, 2.5, true)
        return { name = name, why = why })") == R"({"name":"Ada","why":"asked twice"})");
    CHECK(stage.verbs.said == std::vector<std::string>{R"(ask [{"choices":["a","b"],"prompt":"Who?"}])",
                                                       R"(say ["Hello, Ada",2,2.5E0,true])"});
}
