// Whether the machine allows namespaces is found by a complete launch. Where it does not, Landlock still keeps files apart, and the
// system call filter closes the network by denying every socket; but then nothing can be let out either.
#include "landlock_backend.hpp"

#include "landlock_orders.hpp"

#include <pfar/sandbox_layout.hpp>
#include <pfar/sandbox_probe.hpp>

#include <unistd.h>

namespace pfar::landlock {
namespace {

Guarantees kept(bool namespaces, std::string const& why) {
    Guarantees guarantees;
    guarantees.levels.fill(Level::yes);
    if (namespaces) return guarantees;
    guarantees[Promise::processes] = Level::no;
    guarantees[Promise::limits] = Level::sampled;
    guarantees.why = why;
    return guarantees;
}

Result<void> check_supported(SandboxPolicy const& policy) {
    if (policy.commands)
        return fail(Errc::unsupported,
                    "the landlock backend cannot restrict which programs are executed; remove commands from [access]");
    if (policy.grants.empty())
        return fail(Errc::invalid, "the landlock backend was given no path at all; nothing could run");
    return check_rights(policy, true);
}

Result<void> check_kernel() {
    if (auto const version = landlock_version(); version < 3)
        return fail(Errc::unsupported,
                    version < 1
                        ? "this kernel has no Landlock; it needs 5.13 or later with landlock among its security modules"
                        : "this kernel's Landlock cannot deny truncating a file; it needs 6.2 or later");
    return {};
}

Result<void> check_kept(SandboxPolicy const& policy, Guarantees const& guarantees) {
    for (auto const promise : policy.require)
        if (guarantees[promise] == Level::no)
            return fail(Errc::unsupported, std::string("the landlock backend does not keep the promise ") +
                                               promise_names[static_cast<std::size_t>(promise)] +
                                               " here: " + guarantees.why);
    return {};
}

/// The rules alone: something allowed works, something else does not.
Result<void> try_bare(SandboxBackend const& backend, Launch const& launch) {
    auto policy = probe_policy();
    policy.network = {};
    policy.private_tmp = false;
    PFAR_TRY(allowed, backend.plan(policy, {"/bin/true", {}, "/", {}}));
    PFAR_TRY(forbidden, backend.plan(policy, {"/bin/ls", {"/"}, "/", {}}));
    PFAR_TRY(first, launch(allowed));
    if (first.status != 0) return fail(Errc::unsupported, "Landlock does not work here: " + first.output);
    PFAR_TRY(second, launch(forbidden));
    if (second.status == 0)
        return fail(Errc::unsupported, "Landlock was switched on and did not stop a forbidden read");
    return {};
}

} // namespace

Result<void> LandlockBackend::configure(PluginContext const& context) {
    shim_ = context.shim;
    return only(context.settings, {});
}

Result<Guarantees> LandlockBackend::probe(Launch const& launch) {
    PFAR_CHECK(check_kernel());
    namespaces_ = true;
    auto const tried = try_launch(*this, launch, kept(true, ""));
    if (tried || tried.error().code != Errc::unsupported) return tried;
    namespaces_ = false;
    why_no_namespaces_ = "this machine refuses namespaces (" + tried.error().what + ")" + remedy_for_namespaces();
    PFAR_CHECK(try_bare(*this, launch));
    return kept(false,
                why_no_namespaces_ + "; a server with domains cannot run, because its network would not be kept");
}

Result<LaunchPlan> LandlockBackend::plan(SandboxPolicy const& policy, Command const& command) const {
    PFAR_CHECK(check_kernel());
    PFAR_CHECK(check_supported(policy));
    LaunchPlan out;
    out.argv = {shim_.native()};
    out.guarantees = kept(namespaces_, why_no_namespaces_);
    if (namespaces_) {
        out.orders = namespace_orders(policy, command);
        out.mounts = mount_lines(policy);
        return out;
    }
    if (policy.network.egress) {
        out.guarantees[Promise::network] = Level::no;
        PFAR_CHECK(check_kept(policy, out.guarantees));
        return fail(Errc::unsupported,
                    "a server with domains has no way out without namespaces: " + why_no_namespaces_);
    }
    PFAR_CHECK(check_kept(policy, out.guarantees));
    PFAR_TRY(orders, bare_orders(policy, command));
    out.orders = std::move(orders);
    for (auto const& rule : out.orders->landlock)
        out.mounts.push_back({rule.path, mode_text(rule.rights), "by Landlock"});
    return out;
}

} // namespace pfar::landlock
