// Mounts go from the least to the most specific path, because bwrap obeys in order and the last one over a path wins.
#include "bwrap_arguments.hpp"

#include <algorithm>

namespace pfar::bwrap {
namespace {

using Words = std::vector<std::string>;

void add(Words& words, std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
}

std::vector<Grant> by_depth(std::vector<Grant> grants) {
    auto const depth = [](Grant const& grant) { return std::distance(grant.inside.begin(), grant.inside.end()); };
    std::stable_sort(grants.begin(), grants.end(), [&](auto const& a, auto const& b) { return depth(a) < depth(b); });
    return grants;
}

void add_namespaces(Words& words, SandboxPolicy const& policy) {
    add(words,
        {"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"});
    add(words, {"--disable-userns"}); // none of its own inside
    add(words, {"--uid", std::to_string(policy.identity.uid), "--gid", std::to_string(policy.identity.gid)});
    add(words, {"--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "pfar"});
}

void add_mounts(Words& words, SandboxPolicy const& policy) {
    add(words, {"--proc", "/proc", "--dev", "/dev"});
    if (policy.private_tmp && policy.limits.tmp_bytes != 0)
        add(words, {"--size", std::to_string(policy.limits.tmp_bytes)});
    add(words, {"--tmpfs", "/tmp"});
    for (auto const& grant : by_depth(policy.grants)) // after /tmp: a grant may lie below it
        add(words, {grant.rights.writes() ? "--bind" : "--ro-bind", grant.host.native(), grant.inside.native()});
    if (!policy.private_tmp) add(words, {"--remount-ro", "/tmp"});
    add(words, {"--remount-ro", "/dev", "--remount-ro", "/"});
}

Result<void> cannot(char const* what) {
    return fail(Errc::unsupported, std::string("the bwrap backend cannot ") + what + " yet");
}

} // namespace

Result<void> check_supported(SandboxPolicy const& policy) {
    if (policy.network.egress) return cannot("pass listeners out of the sandbox");
    if (policy.identity.kernel_uid) return cannot("give the process a uid of its own");
    if (policy.commands) return cannot("restrict which programs are executed");
    if (!policy.made_files.empty()) return cannot("make files inside");
    if (!policy.read_only_root) return cannot("put a writable layer over the root");
    auto const& limits = policy.limits;
    if (limits.memory != 0 || limits.processes != 0 || limits.descriptors != 0)
        return cannot("limit memory, processes or descriptors");
    for (auto const& grant : policy.grants) {
        auto const& rights = grant.rights;
        bool const all = rights.create && rights.update && rights.remove;
        if (rights.writes() && !all) return cannot("tell creating, changing and deleting files apart");
        if (!rights.read) return cannot("grant anything without reading");
    }
    return {};
}

std::vector<std::string> arguments(SandboxPolicy const& policy, Command const& command) {
    Words words;
    add_namespaces(words, policy);
    add_mounts(words, policy);
    if (!command.cwd.empty()) add(words, {"--chdir", command.cwd.native()});
    for (auto const& [name, value] : command.environment) add(words, {"--setenv", name, value});
    add(words, {"--", command.program.native()});
    words.insert(words.end(), command.args.begin(), command.args.end());
    return words;
}

std::vector<MountLine> mount_lines(SandboxPolicy const& policy) {
    std::vector<MountLine> lines;
    for (auto const& grant : by_depth(policy.grants))
        lines.push_back({grant.inside, grant.rights.writes() ? "rw" : "ro", grant.why});
    lines.push_back({"/proc", "proc", "its own processes"});
    lines.push_back({"/dev", "ro", "null, zero, random, tty"});
    lines.push_back({"/tmp", policy.private_tmp ? "tmpfs" : "ro", "private, gone when it stops"});
    return lines;
}

std::vector<Grant> system_grants() {
    std::vector<Grant> grants;
    std::error_code error;
    for (std::filesystem::path const path : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
        auto const real = std::filesystem::canonical(path, error);
        if (!error) grants.push_back({real, path, {.read = true, .execute = true}, "system"});
    }
    return grants;
}

} // namespace pfar::bwrap
