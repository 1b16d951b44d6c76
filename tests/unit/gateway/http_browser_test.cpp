#include "support/process.hpp"
#include "unit/gateway/http_world.hpp"

#include <catch2/catch_test_macros.hpp>

TEST_CASE("the owner's page works in a real browser, and asks nobody else for anything") {
    test::HttpWorld world;
    world.on_thread([&] {
        world.approvals =
            R"([{"id":"a1","session":"stdio-1","server":"files","tool":"write","arguments":{"path":"/x","text":"<b>"},)"
            R"("why":"it writes","expires_in":590}])";
        world.servers = R"([{"name":"files","state":"running","label":"internal","tools":3,"reason":null}])";
        world.blocked =
            R"([{"server":"files","domain":"<img src=http://evil.example/>","why":"no","remedy":"pfar allow files x","count":7}])";
    });
    auto const url = "http://127.0.0.1:" + std::to_string(world.port());
    auto const outcome =
        test::run({{"/usr/bin/env", "node", PFAR_SOURCE "/tests/gateway/browser.mjs", url, test::owners_token},
                   {},
                   {},
                   {},
                   0,
                   120});
    if (outcome.status == 77 || outcome.status == 127) SKIP("there is no chromium, or no node");
    INFO(outcome.out << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(world.decided == std::vector<std::string>{"approve a1"});
}
