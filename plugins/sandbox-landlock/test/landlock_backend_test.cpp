// The plan as a pure function of the policy.
#include "landlock_backend.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar;

TEST_CASE("a grant becomes a Landlock rule with the same rights") {
    landlock::LandlockBackend backend;
    PluginContext context;
    context.shim = "/opt/pfar-shim";
    REQUIRE(backend.configure(context));
    SandboxPolicy policy;
    policy.private_tmp = false;
    policy.grants = {{"/srv/notes", "/srv/notes", {.read = true, .create = true}, "grant"}};
    auto const plan = backend.plan(policy, {"/bin/true", {"x"}, "/", {{"A", "b"}}});
    REQUIRE(plan);
    CHECK(plan->argv == std::vector<std::string>{"/opt/pfar-shim"});
    REQUIRE(plan->orders->landlock.size() == 1);
    CHECK(plan->orders->landlock[0].rights.create);
    CHECK_FALSE(plan->orders->landlock[0].rights.remove);
}

TEST_CASE("a policy that requires the network promise is refused by name") {
    landlock::LandlockBackend backend;
    SandboxPolicy policy;
    policy.private_tmp = false;
    policy.grants = {{"/usr", "/usr", {.read = true}, "system"}};
    policy.require = {Promise::network};
    auto const plan = backend.plan(policy, {"/bin/true", {}, "/", {}});
    REQUIRE_FALSE(plan);
    CHECK(plan.error().what.find("network") != std::string::npos);
}

TEST_CASE("what Landlock cannot express is refused, not weakened") {
    landlock::LandlockBackend backend;
    SandboxPolicy policy;
    policy.private_tmp = false;
    CHECK_FALSE(backend.plan(policy, {"/bin/true", {}, "/", {}})); // no rule would mean no restriction
    policy.grants = {{"/srv", "/srv", {true, true, true, true, true}, "grant"},
                     {"/srv/ro", "/srv/ro", {.read = true}, "grant"}};
    auto const narrower = backend.plan(policy, {"/bin/true", {}, "/", {}});
    REQUIRE_FALSE(narrower);
    CHECK(narrower.error().code == Errc::unsupported);
    policy.grants = {{"/srv", "/srv", {.read = true}, "grant"},
                     {"/srv/rw", "/srv/rw", {true, true, true, true, false}, "grant"}};
    CHECK(backend.plan(policy, {"/bin/true", {}, "/", {}}));
}
