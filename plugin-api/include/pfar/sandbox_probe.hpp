// Trying a backend: the complete launch that a server gets, listeners included, with a command that does nothing.
#pragma once

#include <pfar/sandbox_backend.hpp>
#include <pfar/sandbox_layout.hpp>

#include <fstream>

namespace pfar {

inline constexpr std::uint16_t probe_port = 3128;

/// The smallest policy that has everything: the system read-only, a private /tmp, limits, and the way out.
inline SandboxPolicy probe_policy() {
    SandboxPolicy policy;
    policy.server = "probe";
    std::error_code error;
    for (std::filesystem::path const path : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
        if (std::filesystem::is_symlink(path, error))
            policy.links.push_back({path, std::filesystem::read_symlink(path, error).native()});
        else if (std::filesystem::is_directory(path, error))
            policy.grants.push_back({path, path, {.read = true, .execute = true}, "system"});
    }
    policy.made_files.push_back({"/etc/hostname", "pfar\n"});
    policy.identity = {::geteuid(), ::getegid(), "pfar", {}};
    if (::geteuid() == 0) policy.identity = {65519, 65519, "pfar", 65519};
    policy.network = {.egress = true, .proxy_port = probe_port, .transparent = true, .ports = {}};
    policy.limits = {
        .memory = 256U << 20U, .processes = 64, .descriptors = 256, .tmp_bytes = 1U << 20U, .shm_bytes = 1U << 20U};
    return policy;
}

/// `kept` if the launch works; with a line about transparent mode in `why` if only that does not. Errc::unsupported with the reason if not.
inline Result<Guarantees> try_launch(SandboxBackend const& backend, Launch const& launch, Guarantees kept) {
    Command const nothing{"/bin/true", {}, "/", {{"PATH", "/usr/bin:/bin"}}};
    auto policy = probe_policy();
    auto const once = [&]() -> Result<Ended> {
        PFAR_TRY(trial, backend.plan(policy, nothing));
        return launch(trial);
    };
    PFAR_TRY(first, once());
    bool const transparent = first.ran && first.status == 0 && first.transparent;
    if (!transparent) {
        policy.network.transparent = false;
        PFAR_TRY(second, once());
        if (!second.ran || second.status != 0 || second.listeners == 0)
            return fail(Errc::unsupported, second.output.substr(0, second.output.find('\n')));
        kept.why = "programs that ignore proxy variables reach nothing: transparent mode is refused here (" +
                   first.output.substr(0, first.output.find('\n')) + ")";
    }
    return kept;
}

/// What usually stands in the way of namespaces, as the end of a sentence with the remedy; empty if nothing is recognised.
inline std::string remedy_for_namespaces() {
    auto const value = [](char const* file) {
        std::ifstream in(file);
        std::string text;
        std::getline(in, text);
        return text;
    };
    if (value("/proc/sys/kernel/unprivileged_userns_clone") == "0")
        return "; user namespaces are switched off: sysctl -w kernel.unprivileged_userns_clone=1";
    if (value("/proc/sys/user/max_user_namespaces") == "0")
        return "; user namespaces are switched off: sysctl -w user.max_user_namespaces=10000";
    if (value("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1")
        return "; AppArmor restricts user namespaces here (Ubuntu 23.10 and later): give bwrap and pfar-shim a profile "
               "with `userns,`, or "
               "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";
    if (::geteuid() == 0)
        return "; in a container this takes CAP_SYS_ADMIN and an unmasked /proc, or run pfar outside of it";
    return "; in a container this takes a seccomp profile that allows user namespaces and an unmasked /proc, or run "
           "pfar outside of it";
}

} // namespace pfar
