// What can be kept is found by launching the real thing; the reason for a failure is what bwrap said.
#include "bwrap_backend.hpp"

#include "bwrap_arguments.hpp"

#include <unistd.h>

namespace pfar::bwrap {
namespace {

/// The smallest policy that has everything: the system, nothing else, no network.
SandboxPolicy probe_policy() {
    SandboxPolicy policy;
    policy.server = "probe";
    policy.grants = system_grants();
    policy.identity = {::geteuid() == 0 ? 65534U : ::geteuid(), ::getegid() == 0 ? 65534U : ::getegid(), "probe", {}};
    return policy;
}

Guarantees kept() {
    Guarantees guarantees;
    for (auto const promise : {Promise::files, Promise::network, Promise::processes, Promise::environment})
        guarantees[promise] = Level::yes;
    guarantees.why = "system call filter and limits are not part of it yet";
    return guarantees;
}

std::string first_line(std::string const& text) {
    return text.substr(0, text.find('\n'));
}

} // namespace

Result<void> BwrapBackend::configure(PluginContext const& context) {
    PFAR_CHECK(only(context.settings, {"program"}));
    PFAR_TRY(program, setting<std::string>(context.settings, "program", program_.native()));
    if (!program.starts_with('/'))
        return fail(Errc::invalid, "program has to be an absolute path, such as /usr/bin/bwrap");
    program_ = program;
    return {};
}

Result<Guarantees> BwrapBackend::probe(Launch const& launch) {
    Command const command{"/bin/true", {}, "/", {}};
    PFAR_TRY(trial, plan(probe_policy(), command));
    auto const ended = launch(trial);
    if (!ended && ended.error().code == Errc::not_found)
        return fail(Errc::unsupported, program_.native() + " is not installed; on Debian: apt install bubblewrap");
    if (!ended) return ended.error();
    if (ended->status == 0) return kept();
    return fail(Errc::unsupported, "bwrap cannot make a sandbox here (" + first_line(ended->output) +
                                       "); user namespaces may be switched off: sysctl "
                                       "kernel.unprivileged_userns_clone=1, or an AppArmor profile on Ubuntu");
}

Result<LaunchPlan> BwrapBackend::plan(SandboxPolicy const& policy, Command const& command) const {
    PFAR_CHECK(check_supported(policy));
    auto const guarantees = kept();
    for (auto const promise : policy.require)
        if (guarantees[promise] == Level::no)
            return fail(Errc::unsupported, std::string("the bwrap backend does not keep the promise ") +
                                               promise_names[static_cast<std::size_t>(promise)] + " yet");
    LaunchPlan out;
    out.argv = arguments(policy, command);
    out.argv.insert(out.argv.begin(), program_.native());
    out.mounts = mount_lines(policy);
    out.guarantees = guarantees;
    return out;
}

} // namespace pfar::bwrap
