// The plan as a function of the policy, and the probe as a conversation with a launch that is not real.
#include "landlock_backend.hpp"

#include <pfar/sandbox_layout.hpp>

#include <catch2/catch_test_macros.hpp>

#include <sched.h>

#include <algorithm>

using namespace pfar;
using Kind = MountOrder::Kind;

namespace {

constexpr Rights look{.read = true}, change{true, true, true, true, false}, run{.read = true, .execute = true};
Command const command{"/usr/bin/node", {"x"}, "/srv/notes", {{"A", "b"}, {"TMPDIR", "/tmp"}, {"HOME", "/state"}}};

struct Configured {
    landlock::LandlockBackend backend;
    Configured() {
        PluginContext context;
        context.shim = "/opt/pfar-shim";
        REQUIRE(backend.configure(context));
    }
    [[nodiscard]] Result<LaunchPlan> plan(SandboxPolicy const& policy) const { return backend.plan(policy, command); }

    /// On a machine that refuses namespaces and has Landlock.
    Result<Guarantees> refuse_namespaces() {
        return backend.probe([](LaunchPlan const& plan) -> Result<Ended> {
            Ended ended;
            ended.ran = plan.orders->namespaces == 0;
            ended.status = ended.ran && plan.orders->command.program != "/bin/ls" ? 0 : 1;
            if (!ended.ran) ended.output = "Operation not permitted";
            return ended;
        });
    }
};

/// Everything that can be asked for.
SandboxPolicy full_policy() {
    SandboxPolicy policy;
    policy.server = "notes";
    policy.grants = {{"/srv/notes/inbox", "/srv/notes/inbox", change, "grant"},
                     {"/srv/notes", "/srv/notes", look, "grant"},
                     {"/usr", "/usr", run, "system"}};
    policy.links = {{"/bin", "usr/bin"}};
    policy.made_files = {{"/etc/hostname", "pfar\n"}};
    policy.masked = {"/srv/notes/.pfar"};
    policy.network = {.egress = true, .proxy_port = 3128, .transparent = true, .ports = {5432}};
    policy.identity = {1000, 1001, "me", {}};
    policy.limits = {
        .memory = 256U << 20U, .processes = 64, .descriptors = 256, .tmp_bytes = 1U << 20U, .shm_bytes = 1U << 19U};
    return policy;
}

/// What can be had without namespaces.
SandboxPolicy bare_policy() {
    auto policy = full_policy();
    policy.masked.clear();
    policy.network = {};
    policy.scratch = "/home/me/.pfar/run/scratch";
    return policy;
}

std::ptrdiff_t place(std::vector<MountOrder> const& mounts, Kind kind, std::filesystem::path const& target) {
    return std::find_if(mounts.begin(), mounts.end(),
                        [&](auto const& one) { return one.kind == kind && one.target == target; }) -
           mounts.begin();
}
bool has(std::vector<MountOrder> const& mounts, Kind kind, std::filesystem::path const& target) {
    return place(mounts, kind, target) < static_cast<std::ptrdiff_t>(mounts.size());
}

Rights const* rule(LaunchPlan const& plan, std::filesystem::path const& path) {
    auto const& rules = plan.orders->landlock;
    auto const found = std::find_if(rules.begin(), rules.end(), [&](auto const& one) { return one.path == path; });
    return found == rules.end() ? nullptr : &found->rights;
}

} // namespace

TEST_CASE("the launcher is the shim itself, in namespaces of its own with a root of its own") {
    auto const plan = Configured().plan(full_policy()).value();
    CHECK(plan.argv == std::vector<std::string>{"/opt/pfar-shim"});
    CHECK(plan.data.empty());
    CHECK_FALSE(plan.prepare);
    auto const& orders = plan.orders.value();
    CHECK(orders.stay);
    CHECK(orders.new_root);
    for (unsigned const one :
         {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWNET, CLONE_NEWCGROUP})
        CHECK((orders.namespaces & one) != 0);
    REQUIRE(orders.seen_as);
    CHECK(orders.seen_as->gid == 1001);
    CHECK_FALSE(orders.become);
    CHECK(orders.seccomp);
    CHECK(orders.scoped);
    CHECK_FALSE(orders.no_sockets);
    CHECK(orders.limits.processes == 64);
    CHECK(orders.network.transparent);
    CHECK(orders.command.args == command.args);
}

TEST_CASE("as root there is no user namespace, the shim becomes the server's uid, and grants are shown as its own") {
    auto policy = full_policy();
    policy.identity = {61184, 61184, "notes", 61184};
    policy.grants.push_back({"/var/lib", "/var/lib", look, "grant"}); // something that is there
    auto const plan = Configured().plan(policy).value();
    auto const& orders = *plan.orders;
    CHECK((orders.namespaces & CLONE_NEWUSER) == 0);
    CHECK_FALSE(orders.seen_as);
    REQUIRE(orders.become);
    CHECK(orders.become->kernel_uid == 61184U);
    auto const at = [&](char const* target) {
        return orders.mounts[static_cast<std::size_t>(place(orders.mounts, Kind::bind, target))];
    };
    CHECK(at("/var/lib").owner);
    CHECK_FALSE(at("/usr").owner);
}

TEST_CASE("the most specific path is mounted last, writable only where it was granted so") {
    auto const mounts = Configured().plan(full_policy())->orders->mounts;
    auto const outer = place(mounts, Kind::bind, "/srv/notes"), inner = place(mounts, Kind::bind, "/srv/notes/inbox");
    REQUIRE(has(mounts, Kind::bind, "/srv/notes/inbox"));
    CHECK(outer < inner);
    CHECK_FALSE(mounts[static_cast<std::size_t>(outer)].writable);
    CHECK(mounts[static_cast<std::size_t>(inner)].writable);
    for (auto const& mount : mounts)
        if (mount.kind == Kind::bind) {
            CHECK(mount.source != "/");
            CHECK(mount.target != "/");
        }
}

TEST_CASE("what is masked is covered after the grant above it and before the grant below it, and sealed") {
    auto policy = full_policy();
    policy.grants.push_back({"/srv/notes/.pfar/code", "/srv/notes/.pfar/code", look, "code"});
    auto const mounts = Configured().plan(policy)->orders->mounts;
    auto const mask = place(mounts, Kind::tmpfs, "/srv/notes/.pfar");
    CHECK(place(mounts, Kind::bind, "/srv/notes") < mask);
    CHECK(mask < place(mounts, Kind::bind, "/srv/notes/.pfar/code"));
    CHECK(has(mounts, Kind::seal, "/srv/notes/.pfar"));
    CHECK(place(mounts, Kind::seal, "/srv/notes/.pfar") > place(mounts, Kind::bind, "/srv/notes/.pfar/code"));
}

TEST_CASE("links and made files are there, and root, /dev and a forbidden /tmp are sealed at the end") {
    auto policy = full_policy();
    policy.private_tmp = false;
    auto const plan = Configured().plan(policy).value();
    auto const& mounts = plan.orders->mounts;
    CHECK(has(mounts, Kind::link, "/bin"));
    CHECK(has(mounts, Kind::file, "/etc/hostname"));
    CHECK(has(mounts, Kind::proc, "/proc"));
    for (auto const* const path : {"/", "/dev", "/tmp"}) {
        CHECK(has(mounts, Kind::seal, path));
        CHECK(place(mounts, Kind::seal, path) > place(mounts, Kind::bind, "/srv/notes/inbox"));
    }
    CHECK(rule(plan, "/tmp") == nullptr);
}

TEST_CASE("/tmp and /dev/shm are private and sized") {
    auto const mounts = Configured().plan(full_policy())->orders->mounts;
    auto const at = [&](char const* target) {
        return mounts[static_cast<std::size_t>(place(mounts, Kind::tmpfs, target))];
    };
    CHECK(at("/tmp").size == 1U << 20U);
    CHECK(at("/tmp").writable);
    CHECK(at("/dev/shm").size == 1U << 19U);
    CHECK_FALSE(has(mounts, Kind::seal, "/tmp"));
}

TEST_CASE("a writable root is private, sized and not sealed") {
    auto policy = full_policy();
    policy.read_only_root = false;
    auto const mounts = Configured().plan(policy)->orders->mounts;
    CHECK(mounts.front().target == "/");
    CHECK(mounts.front().writable);
    CHECK(mounts.front().size == policy.limits.tmp_bytes);
    CHECK_FALSE(has(mounts, Kind::seal, "/"));
    CHECK(has(mounts, Kind::seal, "/dev"));
}

TEST_CASE("a grant becomes a Landlock rule with the same rights, and nothing else can be written") {
    auto policy = full_policy();
    policy.grants[0].rights = {.read = true, .create = true};
    auto const plan = Configured().plan(policy).value();
    REQUIRE(rule(plan, "/srv/notes/inbox") != nullptr);
    CHECK(rule(plan, "/srv/notes/inbox")->create);
    CHECK_FALSE(rule(plan, "/srv/notes/inbox")->remove);
    REQUIRE(rule(plan, "/") != nullptr);
    CHECK_FALSE(rule(plan, "/")->writes());
    CHECK_FALSE(rule(plan, "/")->execute);
}

TEST_CASE("where something is granted without reading, the root as a whole is not readable") {
    auto policy = full_policy();
    policy.grants = {{"/usr", "/usr", run, "system"}, {"/srv/drop", "/srv/drop", {.create = true}, "grant"}};
    auto const plan = Configured().plan(policy).value();
    CHECK(rule(plan, "/") == nullptr);
    REQUIRE(rule(plan, "/srv/drop") != nullptr);
    CHECK_FALSE(rule(plan, "/srv/drop")->read);
}

TEST_CASE("what Landlock cannot express is refused, not weakened") {
    auto policy = full_policy();
    SECTION("no path at all: no rule would mean no restriction") {
        policy.grants.clear();
        CHECK(Configured().plan(policy).error().code == Errc::invalid);
        return;
    }
    SECTION("only some commands") {
        policy.commands.emplace();
    }
    SECTION("reading taken away below") {
        policy.grants[0].rights.read = false;
    }
    SECTION("executing taken away below") {
        policy.grants[1].rights.execute = true;
    }
    SECTION("a part of writing taken away below") {
        policy.grants[1].rights = change;
        policy.grants[0].rights.remove = false;
    }
    auto const refused = Configured().plan(policy);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::unsupported);
}

TEST_CASE("without namespaces there are rules and no sockets, and the plan says what it does not keep") {
    if (landlock_version() < 3) SKIP("this kernel has no Landlock that is good enough");
    Configured machine;
    auto const probed = machine.refuse_namespaces();
    REQUIRE(probed);
    CHECK((*probed)[Promise::files] == Level::yes);
    CHECK((*probed)[Promise::network] == Level::yes);
    CHECK((*probed)[Promise::processes] == Level::no);
    CHECK(probed->why.find("Operation not permitted") != std::string::npos);
    auto const plan = machine.plan(bare_policy()).value();
    CHECK(plan.orders->namespaces == 0);
    CHECK(plan.orders->mounts.empty());
    CHECK(plan.orders->no_sockets);
    CHECK(plan.orders->seccomp);
    CHECK(rule(plan, "/") == nullptr);
    CHECK(rule(plan, "/tmp") == nullptr);
    CHECK(rule(plan, "/srv/notes/inbox")->writes());
    CHECK(rule(plan, "/home/me/.pfar/run/scratch")->writes());
    CHECK(plan.guarantees[Promise::processes] == Level::no);
}

TEST_CASE("without namespaces, what would lie in /tmp or under another name is told by its real path") {
    if (landlock_version() < 3) SKIP("this kernel has no Landlock that is good enough");
    Configured machine;
    REQUIRE(machine.refuse_namespaces());
    auto policy = bare_policy();
    policy.grants.push_back({"/home/me/.pfar/state/notes", "/state", change, "its HOME"});
    auto const environment = machine.plan(policy)->orders->command.environment;
    auto const expected = decltype(environment){
        {"A", "b"}, {"TMPDIR", "/home/me/.pfar/run/scratch"}, {"HOME", "/home/me/.pfar/state/notes/"}};
    CHECK(environment[1] == expected[1]);
    CHECK(std::filesystem::path(environment[2].second) / "" == std::filesystem::path(expected[2].second));
}

TEST_CASE("without namespaces, what takes one is refused") {
    if (landlock_version() < 3) SKIP("this kernel has no Landlock that is good enough");
    Configured machine;
    REQUIRE(machine.refuse_namespaces());
    auto policy = bare_policy();
    REQUIRE(machine.plan(policy));
    SECTION("a way out") {
        policy.network = full_policy().network;
    }
    SECTION("a required promise") {
        policy.require = {Promise::processes};
    }
    SECTION("a mask") {
        policy.masked = {"/srv/notes/.pfar"};
    }
    SECTION("a layer") {
        policy.read_only_root = false;
    }
    SECTION("a private /tmp with no place for it") {
        policy.scratch.clear();
    }
    SECTION("writing taken away below") {
        policy.grants[1].rights = change;
        policy.grants[0].rights = look;
    }
    auto const refused = machine.plan(policy);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::unsupported);
}

TEST_CASE("Landlock that is switched on and stops nothing is found out") {
    if (landlock_version() < 3) SKIP("this kernel has no Landlock that is good enough");
    landlock::LandlockBackend backend;
    auto const probed = backend.probe([](LaunchPlan const& plan) -> Result<Ended> {
        Ended ended;
        ended.ran = plan.orders->namespaces == 0;
        ended.status = ended.ran ? 0 : 1;
        return ended;
    });
    REQUIRE_FALSE(probed);
    CHECK(probed.error().what.find("did not stop a forbidden read") != std::string::npos);
}
