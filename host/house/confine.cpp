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

Result<Starting> Starting::begin(House const& house, StartOrder order) {
    PFAR_CHECK(refuse_unconfined(order.wish));
    PFAR_TRY(confinement, servers::make_policy(order.wish, order.owner));
    confinement.policy.scratch = scratch_place(house, order.owner.identity);
    Starting starting(house, std::move(order), std::move(confinement));
    PFAR_CHECK(starting.first());
    return starting;
}

/// False if there is nothing to launch: another backend may do better.
Result<bool> Starting::launch(LaunchPlan const& plan, std::string const& backend) {
    PFAR_TRY(scratch, make_scratch(plan, confinement_.policy));
    auto started = spawn::Sandbox::start(plan, order_.beginning, spawn::find_cgroup_home(), confinement_.policy.server);
    if (!started && started.error().code != Errc::not_found) return started.error();
    if (started)
        started_.emplace(Started{std::move(*started), backend, plan.guarantees, std::move(scratch)});
    else
        why_not_ = started.error().what;
    return started.has_value();
}

Result<void> Starting::first() {
    auto const wanted = wanted_backend(house_, order_.wish);
    auto const name = wanted != "auto" ? wanted : order_.proven.empty() ? loader::first_backend : order_.proven;
    last_ = name == "unconfined";
    if (!last_ && house_.plugins.find(SandboxBackend::kind, name) == nullptr) return fall_back();
    auto const plan =
        last_ ? Result<LaunchPlan>(unconfined_plan(house_, confinement_)) : plan_with(house_, name, confinement_);
    if (!plan && (plan.error().code != Errc::unsupported || wanted != "auto")) return plan.error();
    if (!plan) why_not_ = plan.error().what;
    PFAR_TRY(launched, plan ? launch(*plan, name) : Result<bool>(false));
    if (launched) return {};
    if (last_) return fail(Errc::unavailable, why_not_);
    spdlog::info("{} did not start: {}", name, why_not_);
    return fall_back();
}

Result<void> Starting::fall_back() {
    last_ = true;
    std::optional<House> opened; // this one may know only the first
    if (house_.plugins.names(SandboxBackend::kind).size() < 2) {
        PFAR_TRY(full, open_house(SandboxBackend::kind));
        opened.emplace(std::move(full));
    }
    auto const& full = opened ? *opened : house_;
    PFAR_TRY(choice, loader::choose_backend(full.plugins, wanted_backend(house_, order_.wish),
                                            order_.wish.sandbox.require, trial_launch()));
    PFAR_TRY(plan, plan_with(full, choice.name, confinement_));
    PFAR_TRY(launched, launch(plan, choice.name));
    if (!launched) return fail(Errc::unavailable, why_not_);
    return {};
}

/// What fails before the shim is inside is the machine's fault, what fails after is the wish's.
Result<bool> Starting::step() {
    PFAR_TRY(note, started_->sandbox.child().next());
    if (note.kind == spawn::Note::Kind::inside) return true;
    why_not_ = explain(note, confinement_.command.program.native());
    if (note.kind == spawn::Note::Kind::failed && note.stage == ShimStage::mount)
        return fail(Errc::unsupported, why_not_);
    if (last_) return fail(Errc::unavailable, why_not_);
    spdlog::info("{} did not start: {}", started_->backend, why_not_);
    started_.reset();
    PFAR_CHECK(fall_back());
    return false;
}

Result<Started> start_wish(House const& house, StartOrder order) {
    PFAR_TRY(starting, Starting::begin(house, std::move(order)));
    for (;;) {
        PFAR_TRY(inside, starting.step());
        if (inside) return starting.take();
    }
}

std::string not_kept(Guarantees const& guarantees) {
    return loader::lacking(guarantees, {Promise::files, Promise::network, Promise::processes, Promise::environment,
                                        Promise::syscalls, Promise::limits});
}

Result<void> make_state(servers::Wish const& wish) {
    if (!wish.state) return {};
    ::mkdir(wish.state->parent_path().c_str(), 0700); // it may be there
    if (::mkdir(wish.state->c_str(), 0700) == 0 || errno == EEXIST) return {};
    return fail(Errc::io, fmt::format("{} could not be made: {}", wish.state->native(), base::errno_text(errno)));
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
