// The steps are in the order in which they depend on each other: code, then grants, then who sees what under which name.
#include "servers/policy.hpp"

#include "base/paths.hpp"
#include "base/text.hpp"
#include "servers/environment.hpp"
#include "servers/grants.hpp"
#include "servers/network.hpp"
#include "servers/root_files.hpp"
#include "servers/server_socket.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::servers {
namespace {

constexpr std::uint64_t most_descriptors = 4096;
constexpr std::uint64_t most_secret_bytes = 4U << 20U; // more the shim's orders cannot hold
constexpr char const* state_inside = "/state";

std::string path_of(OwnerFacts const& owner) {
    auto const path = owner.environment.find("PATH");
    return path == owner.environment.end() ? "/usr/local/bin:/usr/bin:/bin" : path->second;
}

Result<Code> code_of(Wish const& wish, OwnerFacts const& owner, std::vector<Grant> const& grants) {
    CodeQuery query;
    query.command = wish.command;
    query.args = wish.args;
    query.extra = wish.code;
    query.search_path = path_of(owner);
    query.user_home = owner.user_home;
    query.pfar_home = owner.pfar_home;
    query.rule = wish.rule;
    for (auto const& grant : grants)
        if (grant.rights.writes()) query.writable.push_back(grant.host);
    return find_code(query);
}

/// Something granted is shown with the grant's rights; what is code as well, or lies in it, can be read and executed too.
void add_code(SandboxPolicy& policy, Code const& code) {
    for (auto const& root : code.roots) {
        auto const same = std::find_if(policy.grants.begin(), policy.grants.end(),
                                       [&](auto const& grant) { return grant.host == root.path; });
        if (same == policy.grants.end())
            policy.grants.push_back({root.path, root.path, {.read = true, .execute = true}, root.why});
        else
            same->rights.read = same->rights.execute = true;
        for (auto& grant : policy.grants)
            if (base::lies_in(grant.host, root.path)) grant.rights.read = grant.rights.execute = true;
    }
    policy.links.insert(policy.links.end(), code.links.begin(), code.links.end());
}

/// A link whose place is taken, or that stands in a grant, is not made.
void tidy_links(SandboxPolicy& policy) {
    std::vector<Link> kept;
    for (auto const& link : policy.links) {
        bool const taken =
            std::any_of(policy.grants.begin(), policy.grants.end(),
                        [&](auto const& grant) { return base::lies_in(link.inside, grant.inside); }) ||
            std::any_of(kept.begin(), kept.end(), [&](auto const& other) { return other.inside == link.inside; });
        if (!taken) kept.push_back(link);
    }
    policy.links = std::move(kept);
}

void add_certificates(SandboxPolicy& policy, std::vector<std::filesystem::path> const& certificates,
                      std::filesystem::path const& pfar_home) {
    for (auto const& path : certificates) {
        if (base::lies_in(path, pfar_home) || base::lies_in(pfar_home, path)) continue;
        bool const seen = std::any_of(policy.grants.begin(), policy.grants.end(),
                                      [&](auto const& grant) { return base::lies_in(path, grant.inside); });
        if (!seen) policy.grants.push_back({path, path, {.read = true}, "certificates that the environment names"});
    }
}

/// The most specific of grants and masks decides.
bool is_seen(SandboxPolicy const& policy, std::filesystem::path const& path) {
    std::size_t granted = 0, masked = 0;
    for (auto const& grant : policy.grants)
        if (base::lies_in(path, grant.inside)) granted = std::max(granted, grant.inside.native().size());
    for (auto const& mask : policy.masked)
        if (base::lies_in(path, mask)) masked = std::max(masked, mask.native().size());
    return granted > masked;
}

Result<std::filesystem::path> working_directory(Wish const& wish, SandboxPolicy const& policy,
                                                std::filesystem::path const& home) {
    if (!wish.cwd) return wish.socket_directory ? std::filesystem::path(socket_inside) : home;
    std::error_code error;
    auto const real = std::filesystem::canonical(*wish.cwd, error);
    if (!error && is_seen(policy, real)) return real;
    if (wish.cwd_if_granted) return home;
    return fail(error ? Errc::not_found : Errc::refused,
                fmt::format("cwd {} {}", base::printable(wish.cwd->native()),
                            error ? "is not there; make it, or remove cwd"
                                  : "is not granted; add it to [access] fs, or remove cwd"));
}

void set_limits(SandboxPolicy& policy, config::SandboxSpec const& spec) {
    policy.limits = {.memory = spec.memory_limit,
                     .processes = static_cast<std::uint64_t>(spec.pids_limit),
                     .descriptors = most_descriptors,
                     .tmp_bytes = spec.tmp_size,
                     .shm_bytes = spec.tmp_size};
    policy.read_only_root = spec.read_only_fs;
    policy.private_tmp = spec.allow_tmp;
    policy.require = spec.require;
}

Environment environment_of(Wish const& wish, OwnerFacts const& owner, Code const& code,
                           std::filesystem::path const& home, std::uint16_t proxy_port) {
    auto out = environment({owner.environment, code.bin_dirs, home, owner.identity.user, wish.env_pass, wish.env_set,
                            wish.terminal, proxy_port});
    for (auto const& [name, value] : code.environment)
        if (!wish.env_set.contains(name)) out.variables.emplace_back(name, value);
    return out;
}

} // namespace

Result<Confinement> make_policy(Wish const& wish, OwnerFacts const& owner) {
    PFAR_TRY(granted, resolve_grants(wish, owner));
    PFAR_TRY(code, code_of(wish, owner, granted.grants));
    Confinement out;
    auto& policy = out.policy;
    policy.server = wish.name;
    policy.identity = owner.identity;
    policy.network = network_for(wish.domains, wish.transparent, wish.egress_anyway);
    policy.console = wish.console;
    if (!wish.auth_files.empty()) policy.secret_bytes = most_secret_bytes;
    policy.commands.reset();
    if (wish.commands) policy.commands.emplace(wish.commands->begin(), wish.commands->end());
    set_limits(policy, wish.sandbox);
    auto system = system_grants();
    policy.no_unix_sockets =
        !granted.grants.empty(); // what is connected to is not asked whether it was only to be read
    policy.grants = std::move(granted.grants);
    policy.masked = std::move(granted.masked);
    policy.links = std::move(granted.links);
    policy.grants.insert(policy.grants.end(), system.grants.begin(), system.grants.end());
    policy.links.insert(policy.links.end(), system.links.begin(), system.links.end());
    add_code(policy, code);
    std::filesystem::path const home = wish.state ? state_inside : "/tmp";
    if (wish.state)
        policy.grants.push_back({*wish.state, state_inside, everything, "its HOME: what it keeps between starts"});
    if (wish.socket_directory)
        policy.grants.push_back({*wish.socket_directory, socket_inside, everything, "its socket"});
    auto environment = environment_of(wish, owner, code, home, policy.network.proxy_port);
    add_certificates(policy, environment.certificates, owner.pfar_home);
    tidy_links(policy);
    PFAR_TRY(files, made_files({owner.identity, home, "pfar", policy.network.egress && policy.network.transparent}));
    policy.made_files = std::move(files);
    PFAR_TRY(cwd, working_directory(wish, policy, home));
    out.command = {code.program, code.args, cwd, std::move(environment.variables)};
    return out;
}

} // namespace pfar::servers
