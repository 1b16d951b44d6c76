// A launch is the best probe there is. So the usual start costs nothing extra: the preferred backend is simply used, and the others are
// looked at when that failed before the shim was inside.
#include "house/confine.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "loader/select.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>

extern char** environ;

namespace pfar::house {
namespace {

std::map<std::string, std::string> own_environment() {
    std::map<std::string, std::string> out;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        std::string_view const line(*entry);
        if (auto const equals = line.find('='); equals != std::string_view::npos)
            out.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    return out;
}

std::string user_name() {
    auto const* const user = ::getpwuid(::geteuid());
    return user != nullptr ? user->pw_name : "pfar";
}

std::filesystem::path canonical_or_same(std::filesystem::path const& path) {
    std::error_code error;
    auto real = std::filesystem::weakly_canonical(path, error);
    return error ? path : real;
}

Result<void> refuse_unconfined(servers::Wish const& wish) {
    if (wish.sandbox.backend != "unconfined") return {};
    if (!wish.auth_files.empty())
        return fail(Errc::unsupported, "backend \"unconfined\" has no private place for [auth.files]; use a variable "
                                       "in [auth], or a sandbox");
    if (wish.sandbox.require.empty()) return {};
    return fail(Errc::refused, "backend \"unconfined\" confines nothing; only a server file that says it together with "
                               "require = [] may have it");
}

/// Where a backend that has no private /tmp may put one. Made only if the plan uses it. A server with a uid of its own does not get through
/// the owner's directories.
std::filesystem::path scratch_place(House const& house, Identity const& identity) {
    auto const place =
        identity.kernel_uid ? std::filesystem::path("/tmp") : canonical_or_same(house.places.home) / "run";
    return place / fmt::format("pfar-tmp-{}-{:08x}", ::getpid(), std::random_device{}());
}

bool uses(LaunchPlan const& plan, std::filesystem::path const& scratch) {
    return plan.orders && std::any_of(plan.orders->landlock.begin(), plan.orders->landlock.end(),
                                      [&](auto const& rule) { return rule.path == scratch; });
}

Result<std::optional<std::filesystem::path>> make_scratch(LaunchPlan const& plan, SandboxPolicy const& policy) {
    if (!uses(plan, policy.scratch)) return std::optional<std::filesystem::path>();
    ::mkdir(policy.scratch.parent_path().c_str(), 0700);
    if (::mkdir(policy.scratch.c_str(), 0700) != 0)
        return fail(Errc::io,
                    fmt::format("{} could not be made: {}", policy.scratch.native(), base::errno_text(errno)));
    if (auto const uid = policy.identity.kernel_uid; uid && ::chown(policy.scratch.c_str(), *uid, *uid) != 0)
        return fail(Errc::io,
                    fmt::format("{} could not be given away: {}", policy.scratch.native(), base::errno_text(errno)));
    return std::optional(policy.scratch);
}

Result<LaunchPlan> plan_with(House const& house, std::string const& name, servers::Confinement const& confinement) {
    PFAR_TRY(backend, house.plugins.get<SandboxBackend>(name));
    PFAR_TRY(plan, loader::guarded_call(name, "plan",
                                        [&] { return backend->plan(confinement.policy, confinement.command); }));
    if (auto const lacks = loader::lacking(plan.guarantees, confinement.policy.require); !lacks.empty())
        return fail(Errc::unsupported,
                    fmt::format("the {} backend does not keep {} here: {}", name, lacks, plan.guarantees.why));
    return plan;
}

/// Nothing but a clean environment, for those who wrote that they want it so.
LaunchPlan unconfined_plan(House const& house, servers::Confinement const& confinement) {
    LaunchPlan plan;
    plan.argv = {house.layout.shim.native()};
    plan.orders.emplace();
    plan.orders->command = confinement.command;
    for (auto const& grant : confinement.policy.grants) { // there is only the outside
        auto& command = plan.orders->command;
        if (grant.host == grant.inside) continue;
        for (auto& [name, value] : command.environment)
            if (value == grant.inside || value.starts_with(grant.inside.native() + "/"))
                value.replace(0, grant.inside.native().size(), grant.host.native());
        if (command.cwd == grant.inside) command.cwd = grant.host;
    }
    plan.guarantees[Promise::environment] = Level::yes;
    plan.guarantees.why = "backend = \"unconfined\" confines nothing";
    plan.mounts.push_back({"/", "rw", "NOT CONFINED: everything that you can reach"});
    return plan;
}

struct Attempt {
    std::optional<Started> started;
    std::string why_not; // the launcher failed, and another backend may do better
};

/// Waits until the shim is inside: what fails before that is the machine's fault, what fails after is the wish's.
Result<Attempt> attempt(LaunchPlan const& plan, servers::Confinement const& confinement,
                        spawn::Beginning const& beginning, std::string const& backend) {
    PFAR_TRY(scratch, make_scratch(plan, confinement.policy));
    auto started = spawn::Sandbox::start(plan, beginning, spawn::find_cgroup_home(), confinement.policy.server);
    if (!started && started.error().code == Errc::not_found) return Attempt{{}, started.error().what};
    if (!started) return started.error();
    PFAR_TRY(note, started->child().next());
    if (note.kind == spawn::Note::Kind::inside)
        return Attempt{Started{std::move(*started), backend, plan.guarantees, std::move(scratch)}, ""};
    if (note.kind == spawn::Note::Kind::failed && note.stage == ShimStage::mount)
        return fail(Errc::unsupported, explain(note, confinement.command.program.native()));
    return Attempt{{}, explain(note, confinement.command.program.native())};
}

Result<Started> unconfined(House const& house, servers::Confinement const& confinement,
                           spawn::Beginning const& beginning) {
    PFAR_TRY(only, attempt(unconfined_plan(house, confinement), confinement, beginning, "unconfined"));
    if (only.started) return std::move(*only.started);
    return fail(Errc::unavailable, only.why_not);
}

std::string wanted_backend(House const& house, servers::Wish const& wish) {
    return wish.sandbox.backend != "auto" ? wish.sandbox.backend : house.settings.sandbox_backend;
}

} // namespace

Result<servers::OwnerFacts> owner_facts(House const& house) {
    servers::OwnerFacts owner;
    owner.user_home = canonical_or_same(house.places.user_home);
    owner.pfar_home = canonical_or_same(house.places.home);
    owner.environment = own_environment();
    owner.identity = {::geteuid(), ::getegid(), user_name(), {}};
    if (::geteuid() == 0) owner.identity = {65519, 65519, "pfar", 65519};
    return owner;
}

Result<Planned> plan_wish(House const& house, servers::Wish const& wish, servers::OwnerFacts const& owner) {
    PFAR_CHECK(refuse_unconfined(wish));
    auto seen = wish;
    if (wish.sandbox.backend == "unconfined") seen.domains.clear(); // it reaches everything, and no proxy stands by
    PFAR_TRY(confinement, servers::make_policy(seen, owner));
    confinement.policy.scratch = scratch_place(house, owner.identity);
    if (wish.sandbox.backend == "unconfined")
        return Planned{"unconfined", "named in the server file, with require = []", unconfined_plan(house, confinement),
                       std::move(confinement.policy), spawn::MemoryControl::sampled};
    PFAR_TRY(choice,
             loader::choose_backend(house.plugins, wanted_backend(house, wish), wish.sandbox.require, trial_launch()));
    PFAR_TRY(plan, plan_with(house, choice.name, confinement));
    auto const memory = spawn::find_cgroup_home().control;
    if (memory == spawn::MemoryControl::sampled && plan.guarantees[Promise::limits] == Level::yes)
        plan.guarantees[Promise::limits] = Level::sampled;
    return Planned{choice.name, choice.why, std::move(plan), std::move(confinement.policy), memory};
}

Result<Started> start_wish(House const& house, servers::Wish const& wish, servers::OwnerFacts const& owner,
                           spawn::Beginning const& beginning) {
    PFAR_CHECK(refuse_unconfined(wish));
    PFAR_TRY(confinement, servers::make_policy(wish, owner));
    confinement.policy.scratch = scratch_place(house, owner.identity);
    auto const wanted = wanted_backend(house, wish);
    if (wanted == "unconfined") return unconfined(house, confinement, beginning);
    auto const first_name = wanted == "auto" ? loader::first_backend : wanted;
    if (house.plugins.find(SandboxBackend::kind, first_name) != nullptr) {
        auto const plan = plan_with(house, first_name, confinement);
        if (!plan && (plan.error().code != Errc::unsupported || wanted != "auto")) return plan.error();
        auto first =
            plan ? attempt(*plan, confinement, beginning, first_name) : Result<Attempt>(Attempt{{}, plan.error().what});
        if (!first) return first.error();
        if (first->started) return std::move(*first->started);
        spdlog::info("{} did not start: {}", first_name, first->why_not);
    }
    PFAR_TRY(full, open_house(SandboxBackend::kind)); // this one may know only the first
    PFAR_TRY(choice, loader::choose_backend(full.plugins, wanted, wish.sandbox.require, trial_launch()));
    PFAR_TRY(plan, plan_with(full, choice.name, confinement));
    PFAR_TRY(second, attempt(plan, confinement, beginning, choice.name));
    if (second.started) return std::move(*second.started);
    return fail(Errc::unavailable, second.why_not);
}

std::string describe(spawn::MemoryControl control) {
    switch (control) {
    case spawn::MemoryControl::cgroup_v2:
        return "enforced by a control group (v2)";
    case spawn::MemoryControl::cgroup_v1:
        return "enforced by a control group (v1)";
    case spawn::MemoryControl::sampled:
        break;
    }
    return "sampled every 250 ms, and RLIMIT_DATA for each process";
}

} // namespace pfar::house
