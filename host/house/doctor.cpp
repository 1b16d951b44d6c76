// The table of SPEC 5, reproduced for this machine.
#include "house/doctor.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "house/confine.hpp"
#include "loader/guarded_call.hpp"

#include <pfar/sandbox_layout.hpp>
#include <pfar/sandbox_probe.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <cstdlib>

namespace pfar::house {
namespace {

/// With domains there is a way out to be kept, which a backend may refuse to plan.
Guarantees with_domains(SandboxBackend const& backend, std::string const& name, Guarantees kept) {
    auto const planned = loader::guarded_call(name, "plan", [&] {
        return backend.plan(probe_policy(), {"/bin/true", {}, "/", {}});
    });
    if (!planned) kept[Promise::network] = Level::no;
    return kept;
}

BackendHealth examine_backend(House const& house, std::string const& name, spawn::CgroupHome const& groups) {
    BackendHealth health{name, false, {}, {}, false, ""};
    auto const backend = house.plugins.get<SandboxBackend>(name);
    if (!backend) return health.why = backend.error().what, health;
    auto kept = loader::guarded_call(name, "probe", [&] { return (*backend)->probe(trial_launch()); });
    if (!kept) return health.why = kept.error().what, health;
    if (groups.control == spawn::MemoryControl::sampled && (*kept)[Promise::limits] == Level::yes)
        (*kept)[Promise::limits] = Level::sampled;
    health.usable = true;
    health.why = kept->why;
    health.without_domains = *kept;
    health.with_domains = with_domains(**backend, name, *kept);
    health.transparent =
        health.with_domains[Promise::network] == Level::yes && kept->why.find("transparent") == std::string::npos;
    return health;
}

HealthCheck check_limits(spawn::CgroupHome const& groups) {
    bool const enforced = groups.control != spawn::MemoryControl::sampled;
    return {"memory limit", enforced, describe(groups.control), enforced ? "" : groups.why_not};
}

HealthCheck check_bwrap() {
    bool const there = ::access("/usr/bin/bwrap", X_OK) == 0;
    if (!there)
        return {"bubblewrap", false, "not installed",
                "apt install bubblewrap (or dnf, pacman); without it the landlock backend is used"};
    auto const ended = trial_launch()(LaunchPlan{{"/usr/bin/bwrap", "--version"}, {}, {}, {}, {}, {}});
    auto const version = ended ? ended->output.substr(0, ended->output.find('\n')) : "";
    auto const number =
        version.substr(std::min(version.size(), version.find(' ') == std::string::npos ? 0 : version.find(' ') + 1));
    int const minor = number.starts_with("0.") ? std::atoi(number.c_str() + 2) : 99;
    bool const new_enough = minor >= 8;
    return {"bubblewrap", new_enough, base::printable(version),
            new_enough ? "" : "pfar needs 0.8 or later; upgrade the package"};
}

HealthCheck check_landlock() {
    int const version = landlock_version();
    if (version >= 6) return {"Landlock", true, fmt::format("version {}", version), ""};
    if (version >= 3)
        return {"Landlock", true,
                fmt::format("version {}: signals and abstract sockets are kept apart by namespaces alone", version),
                ""};
    return {"Landlock", false, version == 0 ? "not there" : fmt::format("version {}", version),
            "a kernel of 6.2 or later with landlock in its lsm= list; without it the bwrap backend cannot tell execute "
            "from read"};
}

HealthCheck check_user_namespaces() {
    if (::geteuid() == 0)
        return {"user namespaces", true, "not needed: the host is root, and each sandbox has a uid of its own", ""};
    auto const ended = trial_launch()(
        LaunchPlan{{"/usr/bin/unshare", "--user", "--map-current-user", "--net", "/bin/true"}, {}, {}, {}, {}, {}});
    bool const work = ended && ended->status == 0;
    auto remedy = remedy_for_namespaces();
    if (remedy.starts_with("; ")) remedy.erase(0, 2);
    return {"user namespaces", work, work ? "allowed" : "refused", work ? "" : remedy};
}

/// As root a directory of the owner's is shown as the server's own; not every file system can.
HealthCheck check_grants(House const& house) {
    if (::geteuid() != 0) return {"idmapped mounts", true, "not needed: sandboxes have your own uid", ""};
    std::string pattern = (std::filesystem::temp_directory_path() / "pfar-doctor-XXXXXX").native();
    std::error_code error;
    if (::mkdtemp(pattern.data()) == nullptr)
        return {"idmapped mounts", false, "no temporary directory", "make one that you can write"};
    servers::Wish wish;
    wish.name = "doctor";
    wish.command = "/bin/sh";
    wish.args = {"-c", "echo written > " + pattern + "/file"};
    wish.grants.push_back({pattern, {true, true, true, true, true}, "doctor"});
    HealthCheck check{"idmapped mounts", false, "refused",
                      "keep what is granted on ext4, xfs, btrfs or tmpfs, or run pfar as an ordinary user"};
    auto const owner = owner_facts(house);
    auto const planned = owner ? plan_wish(house, wish, *owner) : Result<Planned>(owner.error());
    auto const ended = planned ? trial_launch()(planned->plan) : Result<Ended>(planned.error());
    if (!ended || !ended->ran)
        check.finding = ended ? ended->output : ended.error().what;
    else if (ended->status == 0 && std::filesystem::exists(pattern + "/file", error))
        check = {"idmapped mounts", true, "a granted directory of root's can be written by a sandbox that is not root",
                 ""};
    std::filesystem::remove_all(pattern, error);
    return check;
}

} // namespace

Health examine(House const& house) {
    Health health;
    auto const groups = spawn::find_cgroup_home();
    for (auto const name : house.plugins.names(SandboxBackend::kind))
        health.backends.push_back(examine_backend(house, std::string(name), groups));
    health.checks = {check_bwrap(), check_user_namespaces(), check_landlock(), check_grants(house),
                     check_limits(groups)};
    return health;
}

} // namespace pfar::house
