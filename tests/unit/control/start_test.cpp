#include "control/start.hpp"

#include "support/process.hpp"
#include "unit/control/control_world.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;
using control::Request;
using test::ControlWorld;
using test::has;

namespace {

ControlWorld::Answer busy(Request /*request*/) {
    co_return std::string(R"({"version":"0.9","build":"old","pid":7,"idle":false})");
}

ControlWorld::Answer nonsense(Request /*request*/) {
    co_return std::string("[]");
}

control::Finding finding(ControlWorld const& world) {
    return {world.home(), test::own_identity, "/", {}};
}

} // namespace

TEST_CASE("a host of the same build is used as it is") {
    ControlWorld world;
    world.start();
    CHECK(control::find_host(finding(world)));
    CHECK(control::find_or_start_host(finding(world)));
}

TEST_CASE("a busy host of another build is left alone, with the remedy") {
    ControlWorld world;
    world.start({{"hello", busy}});
    for (auto const& refused : {control::find_host(finding(world)), control::find_or_start_host(finding(world))}) {
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::unavailable);
        CHECK(has(refused.error().what, "another build, 0.9, and busy; run pfar host restart"));
    }
    CHECK(control::find_any_host(finding(world))->second.identity.version == "0.9");
}

TEST_CASE("what answers nonsense is told") {
    ControlWorld world;
    world.start({{"hello", nonsense}});
    CHECK(has(control::find_or_start_host(finding(world)).error().what, "makes no sense"));
}

TEST_CASE("where none runs, looking starts none") {
    test::TempDir const home;
    control::Finding const nobody{home.path(), test::own_identity, "/", {}};
    CHECK(control::find_host(nobody).error().code == Errc::not_found);
    CHECK(control::find_any_host(nobody).error().code == Errc::not_found);
    CHECK_FALSE(control::stop_host(nobody).value());
}
