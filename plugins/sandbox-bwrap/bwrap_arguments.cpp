// Mounts go from the least to the most specific path, because bwrap obeys in order and the last one over a path wins.
#include "bwrap_arguments.hpp"

#include <pfar/sandbox_layout.hpp>

#include <set>

namespace pfar::bwrap {
namespace {

using Words = std::vector<std::string>;

void add(Words& words, std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
}

/// As root there is no user namespace: the shim changes to the server's own uid, which takes these. As a user, transparent mode needs to be
/// root in a namespace of its own at first; otherwise there is nothing to keep, and no further user namespace either.
void add_identity(Words& words, SandboxPolicy const& policy) {
    bool const transparent = policy.network.egress && policy.network.transparent;
    auto const& identity = policy.identity;
    if (!identity.kernel_uid) {
        add(words, {"--unshare-user", "--uid", std::to_string(transparent ? 0 : identity.uid), "--gid",
                    std::to_string(transparent ? 0 : identity.gid)});
        if (!transparent) add(words, {"--disable-userns"});
    }
    add(words, {"--cap-drop", "ALL"});
    if (identity.kernel_uid)
        add(words, {"--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"});
    if (transparent) add(words, {"--cap-add", "CAP_NET_ADMIN", "--cap-add", "CAP_NET_BIND_SERVICE"});
    if (transparent && !identity.kernel_uid) add(words, {"--cap-add", "CAP_SETFCAP"});
}

void add_directories(Words& words, SandboxPolicy const& policy) {
    std::set<std::filesystem::path> made; // parents sort before what lies in them
    auto const above = [&](std::filesystem::path const& path) {
        for (auto parent = path.parent_path(); parent != "/" && !parent.empty(); parent = parent.parent_path())
            made.insert(parent);
    };
    for (auto const& grant : policy.grants) above(grant.inside);
    for (auto const& file : policy.made_files) above(file.inside);
    for (auto const& link : policy.links) above(link.inside);
    made.insert("/run");
    for (auto const& directory : made) {
        bool const granted = std::any_of(policy.grants.begin(), policy.grants.end(),
                                         [&](auto const& grant) { return is_below(directory, grant.inside); });
        if (!granted) add(words, {"--perms", "0755", "--dir", directory.native()});
    }
}

void add_system(Words& words, SandboxPolicy const& policy) {
    add(words, {"--proc", "/proc"});
    if (!policy.identity.kernel_uid)
        add(words, {"--ro-bind", "/proc/sys", "/proc/sys"}); // as root bwrap covers it itself
    add(words, {"--dev", "/dev"});
    if (!policy.console.empty()) add(words, {"--dev-bind", policy.console.native(), "/dev/console"});
    for (auto const& path : covered_in_proc()) add(words, {"--ro-bind", "/dev/null", path.native()});
    if (policy.limits.shm_bytes != 0)
        add(words, {"--perms", "1777", "--size", std::to_string(policy.limits.shm_bytes), "--tmpfs", "/dev/shm"});
    add(words, {"--perms", policy.private_tmp ? "1777" : "0755"});
    if (policy.limits.tmp_bytes != 0) add(words, {"--size", std::to_string(policy.limits.tmp_bytes)});
    add(words, {"--tmpfs", "/tmp"});
}

void add_files(Words& words, SandboxPolicy const& policy, std::vector<DataFd>& data) {
    for (auto const& link : policy.links) add(words, {"--symlink", link.target, link.inside.native()});
    for (auto const& file : policy.made_files) {
        data.push_back({orders_fd + 1 + static_cast<int>(data.size()), file.content});
        add(words, {"--perms", "0444", "--file", std::to_string(data.back().fd), file.inside.native()});
    }
}

/// After /tmp: a grant may lie below it. A mask covers what lies above it and not what was granted below.
void add_grants(Words& words, SandboxPolicy const& policy) {
    auto const order = by_depth(policy.grants);
    std::set<std::filesystem::path> masks(policy.masked.begin(), policy.masked.end());
    auto const mask_above = [&](std::filesystem::path const& path) {
        for (auto mask = masks.begin(); mask != masks.end();) {
            bool const due = path.empty() || is_below(path, *mask);
            if (due) add(words, {"--perms", "0755", "--size", "65536", "--tmpfs", mask->native()});
            mask = due ? masks.erase(mask) : std::next(mask);
        }
    };
    for (auto const& grant : order) {
        mask_above(grant.inside);
        add(words, {grant.rights.writes() ? "--bind" : "--ro-bind", grant.host.native(), grant.inside.native()});
    }
    mask_above({});
}

} // namespace

std::vector<std::string> arguments(SandboxPolicy const& policy, std::filesystem::path const& shim,
                                   std::vector<DataFd>& data) {
    // Not --die-with-parent: a bwrap that is killed between its clone and its word to the child leaves that one waiting for ever. The shim
    // inside sees the end of the host's socket instead, and its end is everybody's.
    Words words{"--unshare-ipc",        "--unshare-pid", "--unshare-net", "--unshare-uts",
                "--unshare-cgroup-try", "--as-pid-1",    "--hostname",    "pfar"};
    add_identity(words, policy);
    if (!policy.read_only_root)
        add(words, {"--perms", "1777", "--size", std::to_string(policy.limits.tmp_bytes), "--tmpfs", "/"});
    add_system(words, policy);
    add_directories(words, policy);
    if (policy.secret_bytes != 0)
        add(words, {"--perms", "1777", "--size", std::to_string(policy.secret_bytes), "--tmpfs", secrets_inside});
    add_files(words, policy, data);
    add_grants(words, policy);
    add(words, {"--ro-bind", shim.native(), shim_inside});
    for (auto const& path : policy.masked) add(words, {"--remount-ro", path.native()});
    if (!policy.private_tmp) add(words, {"--remount-ro", "/tmp"});
    add(words, {"--remount-ro", "/dev"});
    if (policy.read_only_root) add(words, {"--remount-ro", "/"});
    add(words, {"--chdir", "/", "--", shim_inside});
    return words;
}

} // namespace pfar::bwrap
