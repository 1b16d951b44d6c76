// What backends have in common: the order of mounts, which rights can be told apart, and a policy as Landlock rules and as lines.
#pragma once

#include <pfar/launch_plan.hpp>
#include <pfar/result.hpp>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace pfar {

/// The kernel's Landlock version; 0 if it has none.
inline int landlock_version() {
    auto const version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1);
    return version < 0 ? 0 : static_cast<int>(version);
}

inline bool is_below(std::filesystem::path const& path, std::filesystem::path const& directory) {
    return std::mismatch(directory.begin(), directory.end(), path.begin(), path.end()).first == directory.end();
}

/// Least specific first: whoever mounts in this order lets the most specific grant of a path win.
inline std::vector<Grant> by_depth(std::vector<Grant> grants) {
    auto const depth = [](Grant const& grant) { return std::distance(grant.inside.begin(), grant.inside.end()); };
    std::stable_sort(grants.begin(), grants.end(), [&](auto const& a, auto const& b) { return depth(a) < depth(b); });
    return grants;
}

/// Files of /proc that tell everybody of the user's keys, as far as this kernel has them: shown as /dev/null.
inline std::vector<std::filesystem::path> covered_in_proc() {
    std::vector<std::filesystem::path> out;
    for (char const* const path : {"/proc/keys", "/proc/key-users"})
        if (::access(path, F_OK) == 0) out.emplace_back(path);
    return out;
}

/// The directories of the system itself: world-readable, so no owner has to be shown as another.
inline bool is_system(Grant const& grant) {
    for (char const* const path : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc"})
        if (is_below(grant.inside, path)) return true;
    return false;
}

/// Whom the files of a grant belong to on disk, if the sandbox runs as somebody else and they have to be shown as its own.
inline std::optional<Owner> owner_to_show(Grant const& grant, SandboxPolicy const& policy) {
    struct stat status {};
    if (!policy.identity.kernel_uid || is_system(grant) || ::stat(grant.host.c_str(), &status) != 0) return {};
    return Owner{status.st_uid, status.st_gid};
}

namespace detail {

inline bool writes_fully(Rights const& rights) {
    return rights.create && rights.update && rights.remove;
}

/// Mounts tell reading from writing, for each path by itself. The rest is Landlock's, and its rules add up from above.
inline char const* lost_below(Rights const& outer, Rights const& inner) {
    if (outer.read && !inner.read) return "reading";
    if (outer.execute && !inner.execute) return "executing";
    bool const partial = inner.writes() && !writes_fully(inner);
    if (partial &&
        ((outer.create && !inner.create) || (outer.update && !inner.update) || (outer.remove && !inner.remove)))
        return "a part of writing";
    return nullptr;
}

} // namespace detail

/// Refuses with Errc::unsupported what mounts and (if `landlock`) Landlock rules cannot tell apart.
inline Result<void> check_rights(SandboxPolicy const& policy, bool landlock) {
    for (auto const& grant : policy.grants) {
        auto const& rights = grant.rights;
        auto const refuse = [&](std::string const& what) -> Result<void> {
            return fail(Errc::unsupported, grant.inside.native() + ": " + what);
        };
        if (!landlock && rights.writes() && !detail::writes_fully(rights))
            return refuse("creating, updating and deleting cannot be told apart without Landlock, which this kernel "
                          "does not have; write "
                          "write = true, or leave all three out");
        if (!landlock && !rights.read)
            return refuse("nothing can be granted without reading on a kernel without Landlock; add read = true");
        if (!landlock && !rights.execute)
            return refuse(
                "executing cannot be kept apart from reading on a kernel without Landlock; add execute = true");
        bool const partial = rights.writes() && !detail::writes_fully(rights);
        if (partial && (!policy.read_only_root || (policy.private_tmp && is_below(grant.inside, "/tmp"))))
            return refuse("a part of writing cannot be granted below what is all writable");
        for (auto const& outer : policy.grants) {
            if (&outer == &grant || !is_below(grant.inside, outer.inside) || is_system(outer)) continue;
            if (auto const* const lost = detail::lost_below(outer.rights, rights))
                return refuse(std::string(lost) + " cannot be taken away below " + outer.inside.native() +
                              ", which has it");
        }
    }
    return {};
}

/// The same policy as rules, for a root in which nothing else is mounted than /proc, /dev, /tmp and the grants.
inline std::vector<LandlockRule> landlock_rules(SandboxPolicy const& policy) {
    Rights const look{.read = true}, change{.read = true, .update = true};
    Rights const all{true, true, true, true, true};
    // Rules add up from above, so nothing is executed from /tmp or a writable root if something below it must not be.
    auto const all_above = [&](std::filesystem::path const& place) {
        auto rights = all;
        for (auto const& grant : policy.grants)
            if (is_below(grant.inside, place) && !is_system(grant) && !grant.rights.execute) rights.execute = false;
        return rights;
    };
    std::vector<LandlockRule> rules{{"/proc", change}, {"/dev", change}};
    if (policy.limits.shm_bytes != 0) rules.push_back({"/dev/shm", all});
    if (policy.private_tmp) rules.push_back({"/tmp", all_above("/tmp")});
    if (policy.secret_bytes != 0) rules.push_back({secrets_inside, look});
    bool const all_readable =
        std::all_of(policy.grants.begin(), policy.grants.end(), [](auto const& grant) { return grant.rights.read; });
    if (!policy.read_only_root)
        rules.push_back({"/", all_above("/")});
    else if (all_readable)
        rules.push_back({"/", look});
    else
        rules.push_back({"/etc", look});
    for (auto const& grant : policy.grants) rules.push_back({grant.inside, grant.rights});
    return rules;
}

inline std::string size_text(std::uint64_t bytes) {
    for (auto const& [unit, name] :
         {std::pair{1ULL << 30U, "g"}, std::pair{1ULL << 20U, "m"}, std::pair{1ULL << 10U, "k"}})
        if (bytes >= unit && bytes % unit == 0) return std::to_string(bytes / unit) + name;
    return std::to_string(bytes);
}

inline std::string mode_text(Rights const& rights) {
    std::string mode = detail::writes_fully(rights) ? "rw" : rights.writes() ? "r" : "ro";
    if (rights.writes() && !detail::writes_fully(rights))
        mode = std::string(rights.read ? "read" : "no read") + (rights.create ? ",create" : "") +
               (rights.update ? ",update" : "") + (rights.remove ? ",delete" : "");
    return mode + (rights.execute ? ",exec" : "");
}

/// What `pfar plan` shows of a root that holds exactly the policy.
inline std::vector<MountLine> mount_lines(SandboxPolicy const& policy) {
    auto const size = size_text(policy.limits.tmp_bytes);
    std::vector<MountLine> lines{{"/", policy.read_only_root ? "ro" : "rw " + size, "an empty root of its own"},
                                 {"/proc", "proc", "its own processes; /proc/sys is read-only"},
                                 {"/dev", "ro", "null, zero, full, random, urandom, tty, pts"}};
    if (policy.limits.shm_bytes != 0)
        lines.push_back({"/dev/shm", "tmpfs " + size_text(policy.limits.shm_bytes), "private"});
    lines.push_back({"/tmp", policy.private_tmp ? "tmpfs " + size : "ro",
                     policy.private_tmp ? "private, gone when it stops" : "empty"});
    if (policy.secret_bytes != 0)
        lines.push_back({secrets_inside, "tmpfs " + size_text(policy.secret_bytes), "credential files, for it alone"});
    for (auto const& file : policy.made_files) lines.push_back({file.inside, "ro", "made for it"});
    for (auto const& link : policy.links) lines.push_back({link.inside, "link", "to " + link.target});
    for (auto const& grant : by_depth(policy.grants))
        lines.push_back({grant.inside, mode_text(grant.rights), grant.why});
    for (auto const& path : policy.masked) lines.push_back({path, "empty", "hidden: no server may see it"});
    return lines;
}

} // namespace pfar
