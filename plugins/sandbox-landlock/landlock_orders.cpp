// The mounts are those of every sandbox, as steps for the shim.
#include "landlock_orders.hpp"

#include <pfar/sandbox_layout.hpp>

#include <sched.h>

namespace pfar::landlock {
namespace {

using Kind = MountOrder::Kind;

void add_devices(std::vector<MountOrder>& mounts, SandboxPolicy const& policy) {
    mounts.push_back({.kind = Kind::tmpfs, .target = "/dev", .size = 64U << 10U});
    for (std::filesystem::path const device :
         {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"})
        mounts.push_back({.kind = Kind::device, .source = device, .target = device, .writable = true});
    for (auto const& [name, target] :
         {std::pair{"/dev/fd", "/proc/self/fd"}, std::pair{"/dev/stdin", "/proc/self/fd/0"},
          std::pair{"/dev/stdout", "/proc/self/fd/1"}, std::pair{"/dev/stderr", "/proc/self/fd/2"},
          std::pair{"/dev/ptmx", "pts/ptmx"}})
        mounts.push_back({.kind = Kind::link, .target = name, .content = target});
    mounts.push_back({.kind = Kind::devpts, .target = "/dev/pts"});
    if (!policy.console.empty())
        mounts.push_back({.kind = Kind::device, .source = policy.console, .target = "/dev/console", .writable = true});
    if (policy.limits.shm_bytes != 0)
        mounts.push_back(
            {.kind = Kind::tmpfs, .target = "/dev/shm", .writable = true, .size = policy.limits.shm_bytes});
    else
        mounts.push_back({.kind = Kind::directory, .target = "/dev/shm"});
}

/// A mask covers what lies above it and not what was granted below.
void add_grants(std::vector<MountOrder>& mounts, SandboxPolicy const& policy) {
    auto masks = policy.masked;
    auto const mask_above = [&](std::filesystem::path const& path) {
        std::erase_if(masks, [&](auto const& mask) {
            bool const due = path.empty() || is_below(path, mask);
            if (due) mounts.push_back({.kind = Kind::tmpfs, .target = mask, .size = 64U << 10U});
            return due;
        });
    };
    for (auto const& grant : by_depth(policy.grants)) {
        mask_above(grant.inside);
        mounts.push_back(
            {Kind::bind, grant.host, grant.inside, "", grant.rights.writes(), 0, owner_to_show(grant, policy)});
    }
    mask_above({});
}

std::vector<MountOrder> mounts_for(SandboxPolicy const& policy) {
    std::vector<MountOrder> mounts{{.kind = Kind::tmpfs,
                                    .target = "/",
                                    .writable = !policy.read_only_root,
                                    .size = policy.read_only_root ? 16U << 20U : policy.limits.tmp_bytes},
                                   {.kind = Kind::proc, .target = "/proc"}};
    for (auto const& path : covered_in_proc())
        mounts.push_back({.kind = Kind::device, .source = "/dev/null", .target = path});
    add_devices(mounts, policy);
    mounts.push_back(
        {.kind = Kind::tmpfs, .target = "/tmp", .writable = policy.private_tmp, .size = policy.limits.tmp_bytes});
    mounts.push_back({.kind = Kind::directory, .target = "/run"});
    if (policy.secret_bytes != 0)
        mounts.push_back(
            {.kind = Kind::tmpfs, .target = secrets_inside, .writable = true, .size = policy.secret_bytes});
    for (auto const& link : policy.links)
        mounts.push_back({.kind = Kind::link, .target = link.inside, .content = link.target});
    for (auto const& file : policy.made_files)
        mounts.push_back({.kind = Kind::file, .target = file.inside, .content = file.content});
    add_grants(mounts, policy);
    for (auto const& path : policy.masked) mounts.push_back({.kind = Kind::seal, .target = path});
    if (!policy.private_tmp) mounts.push_back({.kind = Kind::seal, .target = "/tmp"});
    mounts.push_back({.kind = Kind::seal, .target = "/dev"});
    if (policy.read_only_root) mounts.push_back({.kind = Kind::seal, .target = "/"});
    return mounts;
}

ShimOrders common(SandboxPolicy const& policy, Command const& command) {
    ShimOrders orders;
    if (policy.identity.kernel_uid) orders.become = policy.identity;
    orders.limits = policy.limits;
    orders.scoped = orders.seccomp = true;
    orders.no_unix_sockets = policy.no_unix_sockets;
    orders.command = command;
    return orders;
}

/// What would be in /tmp, in a directory that is there.
void move_tmp(Command& command, std::filesystem::path const& scratch) {
    for (auto& [name, value] : command.environment)
        if ((name == "HOME" || name == "TMPDIR" || name.starts_with("XDG_")) && is_below(value, "/tmp"))
            value = scratch.native() + value.substr(4);
    if (command.cwd == "/tmp") command.cwd = scratch;
}

Result<void> check_bare(SandboxPolicy const& policy) {
    auto const cannot = [](std::string const& what, char const* instead) -> Result<void> {
        return fail(Errc::unsupported, "without user namespaces the landlock backend cannot " + what + "; " + instead);
    };
    if (!policy.read_only_root) return cannot("put a writable layer over the root", "set read_only_fs = true");
    if (policy.secret_bytes != 0)
        return cannot("make a private tmpfs for [auth.files]", "use a variable in [auth], or allow user namespaces");
    if (!policy.masked.empty())
        return cannot("hide " + policy.masked.front().native() + " below a grant",
                      "grant the directories beside it instead");
    if (policy.private_tmp && policy.scratch.empty()) return cannot("make a private /tmp", "set allow_tmp = false");
    for (auto const& outer : policy.grants)
        for (auto const& inner : policy.grants)
            if (&outer != &inner && is_below(inner.host, outer.host) && outer.rights.writes() && !inner.rights.writes())
                return cannot("take writing away from " + inner.host.native() + " below " + outer.host.native(),
                              "grant the directories beside it instead");
    return {};
}

} // namespace

ShimOrders namespace_orders(SandboxPolicy const& policy, Command const& command) {
    auto orders = common(policy, command);
    orders.namespaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP;
    if (!policy.identity.kernel_uid) {
        orders.namespaces |= CLONE_NEWUSER;
        orders.seen_as = policy.identity;
    }
    orders.new_root = true;
    orders.mounts = mounts_for(policy);
    orders.network = policy.network;
    orders.landlock = landlock_rules(policy);
    return orders;
}

std::vector<Grant> bare_system_grants() {
    std::vector<Grant> grants;
    std::error_code error;
    auto const grant = [&](char const* path, Rights const& rights, char const* why) {
        if (auto const real = std::filesystem::canonical(path, error); !error)
            grants.push_back({real, real, rights, why});
    };
    for (auto const* const path : {"/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/proc"})
        grant(path, {.read = true}, "the host's own: there is no namespace to make another");
    for (auto const* const path : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"})
        grant(path, {.read = true, .update = true}, "device");
    return grants;
}

Result<ShimOrders> bare_orders(SandboxPolicy const& policy, Command const& command) {
    PFAR_CHECK(check_bare(policy));
    auto orders = common(policy, command);
    orders.no_sockets = true;
    for (auto const& grant : policy.grants) {
        if (grant.host == grant.inside) {
            orders.landlock.push_back({grant.host, grant.rights});
            continue;
        }
        orders.landlock.push_back({grant.host, grant.rights}); // shown under its own name: see the environment
        for (auto& [name, value] : orders.command.environment)
            if (is_below(value, grant.inside))
                value = (grant.host / std::filesystem::path(value).lexically_relative(grant.inside))
                            .lexically_normal()
                            .native();
        if (is_below(orders.command.cwd, grant.inside))
            orders.command.cwd = (grant.host / orders.command.cwd.lexically_relative(grant.inside)).lexically_normal();
    }
    for (auto const& grant : bare_system_grants()) orders.landlock.push_back({grant.host, grant.rights});
    if (policy.private_tmp) {
        orders.landlock.push_back({policy.scratch, {true, true, true, true, true}});
        move_tmp(orders.command, policy.scratch);
    }
    return orders;
}

} // namespace pfar::landlock
