// Calls in the moments between two states.
#include "unit/servers/server_stage.hpp"

using namespace pfar;
using namespace pfar::servers;
using namespace std::chrono_literals;
using Stage = test::ServerStage;

TEST_CASE("a call in any moment of a crash or of being disabled is answered") {
    for (bool const by_owner : {false, true}) {
        Stage stage;
        REQUIRE(stage.until(State::running));
        stage.life().heeds_stdin = false;
        if (by_owner)
            stage.server->disable("by the owner");
        else
            stage.life().end("exit code 1");
        std::vector<test::Later<Result<Told>>> calls;
        for (int i = 0; i < 300; ++i) {
            calls.push_back(stage.call());
            stage.context.restart(), stage.context.run_for(1ms);
        }
        for (auto const& call : calls) CHECK(stage.until([&] { return call->has_value(); }));
    }
}
