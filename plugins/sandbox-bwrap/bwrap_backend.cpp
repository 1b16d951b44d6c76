// What can be kept is found by launching the real thing; the reason for a failure is what bwrap said.
#include "bwrap_backend.hpp"

#include "bwrap_arguments.hpp"

#include <pfar/sandbox_layout.hpp>
#include <pfar/sandbox_probe.hpp>

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace pfar::bwrap {
namespace {

Guarantees kept() {
    Guarantees guarantees;
    guarantees.levels.fill(Level::yes);
    return guarantees;
}

Result<void> check_supported(SandboxPolicy const& policy) {
    if (policy.commands)
        return fail(Errc::unsupported,
                    "the bwrap backend cannot restrict which programs are executed; remove commands from [access]");
    return check_rights(policy, landlock_version() > 0);
}

/// bwrap follows links when it mounts: what it mounted is compared with what was granted.
void add_witnesses(ShimOrders& orders, SandboxPolicy const& policy) {
    for (auto const& grant : policy.grants) {
        struct stat status {};
        if (is_system(grant) || ::stat(grant.host.c_str(), &status) != 0) continue;
        orders.witnesses.push_back({grant.inside, status.st_dev, status.st_ino});
    }
}

ShimOrders orders_for(SandboxPolicy const& policy, Command const& command) {
    bool const transparent = policy.network.egress && policy.network.transparent;
    ShimOrders orders;
    orders.network = policy.network;
    if (policy.identity.kernel_uid)
        orders.become = policy.identity;
    else if (transparent)
        orders.then_as = policy.identity;
    orders.limits = policy.limits;
    if (landlock_version() > 0) orders.landlock = landlock_rules(policy);
    orders.scoped = orders.seccomp = true;
    orders.no_unix_sockets = policy.no_unix_sockets;
    add_witnesses(orders, policy);
    orders.command = command;
    return orders;
}

bool has_writable_below(SandboxPolicy const& policy, Grant const& outer) {
    return std::any_of(policy.grants.begin(), policy.grants.end(),
                       [&](auto const& grant) { return grant.rights.writes() && is_below(grant.host, outer.host); });
}

/// As root: a shim first shows what is granted as the server's own, each over itself in a mount namespace that goes with the launch.
std::optional<ShimOrders> preparation(SandboxPolicy const& policy, std::vector<std::string> const& words) {
    ShimOrders orders;
    orders.stay = false;
    orders.namespaces = CLONE_NEWNS;
    orders.become = policy.identity;
    std::vector<std::filesystem::path> done;
    for (auto const& grant : by_depth(policy.grants)) {
        auto const owner = owner_to_show(grant, policy);
        bool const covered =
            std::any_of(done.begin(), done.end(), [&](auto const& outer) { return is_below(grant.host, outer); });
        if (!owner || covered) continue;
        done.push_back(grant.host);
        orders.mounts.push_back({MountOrder::Kind::bind, grant.host, grant.host, "",
                                 grant.rights.writes() || has_writable_below(policy, grant), 0, owner});
    }
    if (orders.mounts.empty()) return {};
    orders.command.program = words.front();
    orders.command.args.assign(words.begin() + 1, words.end());
    return orders;
}

} // namespace

Result<void> BwrapBackend::configure(PluginContext const& context) {
    PFAR_CHECK(only(context.settings, {"program"}));
    PFAR_TRY(program, setting<std::string>(context.settings, "program", program_.native()));
    if (!program.starts_with('/'))
        return fail(Errc::invalid, "program has to be an absolute path, such as /usr/bin/bwrap");
    program_ = program;
    shim_ = context.shim;
    return {};
}

Result<Guarantees> BwrapBackend::probe(Launch const& launch) {
    if (::access(program_.c_str(), X_OK) != 0)
        return fail(Errc::unsupported,
                    program_.native() + " is not installed; on Debian and Ubuntu: apt install bubblewrap");
    auto const tried = try_launch(*this, launch, kept());
    if (tried || tried.error().code != Errc::unsupported) return tried;
    return fail(Errc::unsupported, "bwrap cannot make a sandbox here: " + tried.error().what + remedy_for_namespaces());
}

Result<LaunchPlan> BwrapBackend::plan(SandboxPolicy const& policy, Command const& command) const {
    PFAR_CHECK(check_supported(policy));
    LaunchPlan out;
    out.argv = arguments(policy, shim_, out.data);
    out.argv.insert(out.argv.begin(), program_.native());
    out.orders = orders_for(policy, command);
    if (policy.identity.kernel_uid) out.prepare = preparation(policy, out.argv);
    if (out.prepare) out.argv = {shim_.native()};
    out.mounts = mount_lines(policy);
    out.guarantees = kept();
    return out;
}

} // namespace pfar::bwrap
