// Files only, for now: Landlock names ports but not addresses, and covers neither UDP nor Unix sockets, so it makes no promise on the network.
#include "landlock_backend.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace pfar::landlock {
namespace {

constexpr char const* not_yet = "network, processes, system calls and limits are not part of it yet";

Guarantees kept() {
    Guarantees guarantees;
    guarantees[Promise::files] = guarantees[Promise::environment] = Level::yes;
    guarantees.why = not_yet;
    return guarantees;
}

std::vector<Grant> system_grants() {
    std::vector<Grant> grants;
    std::error_code error;
    for (std::filesystem::path const path : {"/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"})
        if (auto const real = std::filesystem::canonical(path, error); !error)
            grants.push_back({real, real, {.read = true, .execute = true}, "system"});
    return grants;
}

SandboxPolicy probe_policy() {
    SandboxPolicy policy;
    policy.server = "probe";
    policy.grants = system_grants();
    policy.private_tmp = false;
    return policy;
}

bool has_all(Rights const& rights, Rights const& of) {
    return rights.read >= of.read && rights.create >= of.create && rights.update >= of.update &&
           rights.remove >= of.remove && rights.execute >= of.execute;
}

/// Landlock's rules add up: a path below another has the rights of both, so a narrower grant below a wider one cannot be kept.
bool narrows(std::vector<Grant> const& grants) {
    for (auto const& outer : grants)
        for (auto const& inner : grants) {
            auto const [end, rest] =
                std::mismatch(outer.host.begin(), outer.host.end(), inner.host.begin(), inner.host.end());
            if (end == outer.host.end() && !has_all(inner.rights, outer.rights)) return true;
        }
    return false;
}

Result<void> check_supported(SandboxPolicy const& policy) {
    auto const cannot = [](char const* what) -> Result<void> {
        return fail(Errc::unsupported, std::string("the landlock backend cannot ") + what + " yet");
    };
    if (policy.network.egress) return cannot("pass listeners out of the sandbox");
    if (policy.identity.kernel_uid) return cannot("give the process a uid of its own");
    if (policy.commands) return cannot("restrict which programs are executed");
    if (policy.private_tmp) return cannot("make a private /tmp");
    if (!policy.made_files.empty()) return cannot("make files inside");
    if (!policy.read_only_root) return cannot("put a writable layer over the root");
    auto const& limits = policy.limits;
    if (limits.memory != 0 || limits.processes != 0 || limits.descriptors != 0)
        return cannot("limit memory, processes or descriptors");
    for (auto const& grant : policy.grants)
        if (grant.host != grant.inside) return cannot("show a path under another name");
    if (policy.grants.empty())
        return fail(Errc::invalid,
                    "the landlock backend was given no path at all; without a rule nothing would be denied");
    if (narrows(policy.grants)) return cannot("take a right away below a path that has it");
    for (auto const promise : policy.require)
        if (kept()[promise] == Level::no)
            return fail(Errc::unsupported, std::string("the landlock backend does not keep the promise ") +
                                               promise_names[static_cast<std::size_t>(promise)] + " yet");
    return {};
}

} // namespace

Result<void> LandlockBackend::configure(PluginContext const& context) {
    shim_ = context.shim;
    return only(context.settings, {});
}

Result<Guarantees> LandlockBackend::probe(Launch const& launch) {
    if (auto const version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1); version < 3)
        return fail(Errc::unsupported,
                    version < 1
                        ? "this kernel has no Landlock; it needs 5.13 or later with landlock among its security modules"
                        : "this kernel's Landlock cannot deny truncating a file; it needs 6.2 or later");
    PFAR_TRY(allowed, plan(probe_policy(), {"/bin/cat", {"/bin/true"}, "/", {}}));
    PFAR_TRY(forbidden, plan(probe_policy(), {"/bin/cat", {"/etc/passwd"}, "/", {}}));
    PFAR_TRY(first, launch(allowed));
    if (first.status != 0)
        return fail(Errc::unsupported,
                    "Landlock does not work here (" + first.output.substr(0, first.output.find('\n')) +
                        "); it needs a kernel of 5.13 or later with landlock among its security modules");
    PFAR_TRY(second, launch(forbidden));
    if (second.status == 0)
        return fail(Errc::unsupported, "Landlock was switched on and did not stop a forbidden read");
    return kept();
}

Result<LaunchPlan> LandlockBackend::plan(SandboxPolicy const& policy, Command const& command) const {
    PFAR_CHECK(check_supported(policy));
    LaunchPlan out;
    out.argv = {shim_.native()};
    out.orders.emplace();
    out.orders->command = command;
    for (auto const& grant : policy.grants) {
        out.orders->landlock.push_back({grant.host, grant.rights});
        out.mounts.push_back({grant.inside, grant.rights.writes() ? "rw" : "ro", grant.why});
    }
    out.guarantees = kept();
    return out;
}

} // namespace pfar::landlock
