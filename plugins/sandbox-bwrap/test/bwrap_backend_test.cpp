// The whole plan as a function of the policy.
#include "bwrap_arguments.hpp"
#include "bwrap_backend.hpp"

#include <pfar/sandbox_layout.hpp>

#include <catch2/catch_test_macros.hpp>

#include <sched.h>

#include <algorithm>

using namespace pfar;

namespace {

constexpr Rights reading{.read = true}, changing{true, true, true, true, false}, running{.read = true, .execute = true};
Command const command{"/usr/bin/node", {"--bind", "/", "/"}, "/srv/notes", {{"A", "b"}}};

struct Configured {
    bwrap::BwrapBackend backend;
    Configured() {
        PluginContext context;
        context.shim = "/opt/pfar-shim";
        REQUIRE(backend.configure(context));
    }
    [[nodiscard]] Result<LaunchPlan> plan(SandboxPolicy const& policy) const { return backend.plan(policy, command); }
};

/// Everything that can be asked for.
SandboxPolicy full_policy() {
    SandboxPolicy policy;
    policy.server = "notes";
    policy.grants = {{"/srv/notes", "/srv/notes", reading, "grant"},
                     {"/srv/notes/inbox", "/srv/notes/inbox", changing, "grant"},
                     {"/usr", "/usr", running, "system"}};
    policy.links = {{"/bin", "usr/bin"}};
    policy.made_files = {{"/etc/hostname", "pfar\n"}};
    policy.masked = {"/srv/notes/.pfar"};
    policy.network = {.egress = true, .proxy_port = 3128, .transparent = true, .ports = {5432}};
    policy.identity = {1000, 1000, "me", {}};
    policy.limits = {
        .memory = 256U << 20U, .processes = 64, .descriptors = 256, .tmp_bytes = 1U << 20U, .shm_bytes = 1U << 20U};
    return policy;
}

void need_landlock() {
    if (landlock_version() < 1) SKIP("this kernel has no Landlock");
}

} // namespace

TEST_CASE("a user's plan is bwrap with a shim inside, and the shim has the rest of the policy") {
    auto const plan = Configured().plan(full_policy()).value();
    CHECK(plan.argv.front() == "/usr/bin/bwrap");
    CHECK(plan.argv.back() == bwrap::shim_inside);
    CHECK_FALSE(plan.prepare);
    REQUIRE(plan.orders);
    CHECK(plan.orders->stay);
    CHECK(plan.orders->seccomp);
    CHECK(plan.orders->scoped);
    CHECK_FALSE(plan.orders->no_sockets);
    CHECK(plan.orders->limits.memory == 256U << 20U);
    CHECK(plan.orders->limits.processes == 64);
    CHECK(plan.orders->network.ports == std::vector<std::uint16_t>{5432});
    REQUIRE(plan.orders->then_as);
    CHECK(plan.orders->then_as->uid == 1000);
    CHECK_FALSE(plan.orders->become);
    CHECK(plan.orders->command.program == command.program);
    CHECK(plan.orders->command.args == command.args);
    CHECK(std::find(plan.argv.begin(), plan.argv.end(), "/usr/bin/node") == plan.argv.end());
}

TEST_CASE("Landlock says the same as the mounts") {
    need_landlock();
    auto const plan = Configured().plan(full_policy()).value();
    auto const rule = [&](char const* path) {
        auto const found = std::find_if(plan.orders->landlock.begin(), plan.orders->landlock.end(),
                                        [&](auto const& one) { return one.path == path; });
        REQUIRE(found != plan.orders->landlock.end());
        return found->rights;
    };
    CHECK(rule("/srv/notes/inbox").writes());
    CHECK_FALSE(rule("/srv/notes").writes());
    CHECK_FALSE(rule("/usr").writes());
    CHECK(rule("/usr").execute);
    CHECK_FALSE(rule("/").writes());
    CHECK(rule("/tmp").writes());
}

TEST_CASE("a /tmp that is not allowed has no rule that would let it be written") {
    need_landlock();
    auto policy = full_policy();
    policy.private_tmp = false;
    auto const plan = Configured().plan(policy).value();
    for (auto const& rule : plan.orders->landlock)
        if (is_below("/tmp", rule.path)) CHECK_FALSE(rule.rights.writes());
}

TEST_CASE("for root a first shim shows what is granted as the server's own, and the second becomes it") {
    auto policy = full_policy();
    policy.identity = {61184, 61184, "notes", 61184};
    policy.grants[0].host = policy.grants[0].inside = "/var"; // something that is there
    policy.grants[1].host = policy.grants[1].inside = "/var/lib";
    auto const plan = Configured().plan(policy).value();
    CHECK(plan.argv == std::vector<std::string>{"/opt/pfar-shim"});
    REQUIRE(plan.prepare);
    CHECK_FALSE(plan.prepare->stay);
    CHECK(plan.prepare->namespaces == CLONE_NEWNS);
    CHECK(plan.prepare->command.program == "/usr/bin/bwrap");
    CHECK(plan.prepare->command.args.back() == bwrap::shim_inside);
    REQUIRE(plan.prepare->mounts.size() == 1); // the outer one has the inner one with it; the system is as it is
    CHECK(plan.prepare->mounts[0].source == "/var");
    CHECK(plan.prepare->mounts[0].writable); // for the one inside; the launcher makes it read-only
    CHECK(plan.prepare->mounts[0].owner);
    REQUIRE(plan.orders->become);
    CHECK(plan.orders->become->kernel_uid == 61184U);
    CHECK_FALSE(plan.orders->then_as);
}

TEST_CASE("a plan keeps every promise and shows every mount") {
    auto const plan = Configured().plan(full_policy()).value();
    for (auto const level : plan.guarantees.levels) CHECK(level == Level::yes);
    for (auto const* const path :
         {"/", "/proc", "/dev", "/tmp", "/srv/notes", "/srv/notes/inbox", "/srv/notes/.pfar", "/etc/hostname", "/bin"})
        CHECK(std::any_of(plan.mounts.begin(), plan.mounts.end(), [&](auto const& line) { return line.path == path; }));
}

TEST_CASE("what bwrap cannot enforce is refused with a sentence, not weakened") {
    auto policy = full_policy();
    REQUIRE(Configured().plan(policy));
    SECTION("only some commands") {
        policy.commands.emplace();
    }
    SECTION("reading taken away below") {
        policy.grants[1].rights = {.create = true, .update = true, .remove = true};
    }
    SECTION("executing taken away below") {
        policy.grants[0].rights.execute = true;
    }
    SECTION("a part of writing taken away below") {
        policy.grants[0].rights = changing;
        policy.grants[1].rights.remove = false;
    }
    auto const refused = Configured().plan(policy);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::unsupported);
    CHECK_FALSE(refused.error().what.empty());
}

TEST_CASE("writing can be taken away below a writable grant, because mounts do that") {
    auto policy = full_policy();
    policy.grants[0].rights = changing;
    policy.grants[1].rights = reading;
    auto const plan = Configured().plan(policy).value();
    auto const& words = plan.argv;
    auto const inner = std::find(words.begin(), words.end(), "/srv/notes/inbox");
    REQUIRE(inner != words.end());
    CHECK(*(inner - 1) == "--ro-bind");
}

TEST_CASE("without Landlock, rights that mounts cannot tell apart are refused") {
    SandboxPolicy policy;
    auto const check = [&](Rights const& rights, bool landlock) {
        policy.grants = {{"/srv/x", "/srv/x", rights, "grant"}};
        return check_rights(policy, landlock).has_value();
    };
    CHECK(check({true, true, true, true, true}, false));
    CHECK(check({.read = true, .execute = true}, false));
    for (Rights const& rights :
         {Rights{.read = true, .create = true, .execute = true}, Rights{.execute = true}, Rights{.read = true}}) {
        CHECK_FALSE(check(rights, false));
        CHECK(check(rights, true));
    }
}

TEST_CASE("settings that bwrap does not know, and a relative program, are refused") {
    bwrap::BwrapBackend backend;
    PluginContext context;
    context.settings["program"] = Setting{std::string("bwrap")};
    CHECK_FALSE(backend.configure(context));
    context.settings.clear();
    context.settings["colour"] = Setting{std::string("red")};
    CHECK_FALSE(backend.configure(context));
}

TEST_CASE("a bwrap that is not installed is told with the package, and nothing is launched") {
    bwrap::BwrapBackend backend;
    PluginContext context;
    context.settings["program"] = Setting{std::string("/no/such/bwrap")};
    REQUIRE(backend.configure(context));
    auto const probed = backend.probe([](LaunchPlan const&) -> Result<Ended> {
        FAIL("launched");
        return Ended{};
    });
    REQUIRE_FALSE(probed);
    CHECK(probed.error().what.find("apt install bubblewrap") != std::string::npos);
}
