// Other processes: what they can be seen to have, signals to them, and living on after the end.
#include "attack.hpp"

#include <csignal>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace attack {
namespace {

/// The secret in `file` of any process that can be seen, itself included.
Outcome scan(Facts const& facts, char const* file) {
    DIR* const processes = ::opendir("/proc");
    if (processes == nullptr) return refused("/proc");
    Outcome outcome = refused_as("ENOENT", std::string("the secret in any ") + file);
    while (dirent const* const entry = ::readdir(processes))
        if (entry->d_name[0] > '0' && entry->d_name[0] <= '9')
            if (auto const path = std::string("/proc/") + entry->d_name + "/" + file; has_secret(facts, slurp(path)))
                outcome = success("found in " + path);
    ::closedir(processes);
    return outcome;
}

Outcome scan_environments(Facts const& facts) {
    return scan(facts, "environ");
}

Outcome scan_command_lines(Facts const& facts) {
    return scan(facts, "cmdline");
}

pid_t victim(Facts const& facts) {
    return static_cast<pid_t>(number(facts, "victim"));
}

/// The victim writes down that it was signalled, so a process of the same number inside is not mistaken for it.
Outcome kill_victim(Facts const& facts) {
    return judged(::kill(victim(facts), SIGUSR1), "signal to a host process");
}

bool victim_was_signalled(Facts const& facts) {
    auto const file = fact(facts, "signalled");
    for (int i = 0; i < 20; ++i, sleep_ms(10))
        if (::unlink(file.c_str()) == 0) return true;
    return false;
}

Outcome pidfd_signal(Facts const& facts) {
    long const fd = ::syscall(SYS_pidfd_open, victim(facts), 0);
    if (fd < 0) return refused("pidfd_open of a host process");
    return judged(::syscall(SYS_pidfd_send_signal, fd, SIGUSR1, nullptr, 0), "signal by pidfd");
}

Outcome kill_all(Facts const&) {
    return judged(::kill(-1, 0), "a signal to everybody (0, which only asks)");
}

Outcome kill_group(Facts const& facts) {
    return judged(::kill(-static_cast<pid_t>(number(facts, "victim_group")), 0), "a signal to a host process group");
}

Outcome renice(Facts const& facts) {
    return judged(::setpriority(PRIO_PROCESS, static_cast<id_t>(victim(facts)), 5), "priority of a host process");
}

Outcome pin(Facts const& facts) {
    cpu_set_t set;
    if (::sched_getaffinity(victim(facts), sizeof set, &set) != 0) return refused("affinity of a host process");
    return judged(::sched_setaffinity(victim(facts), sizeof set, &set), "affinity of a host process");
}

Outcome limit_victim(Facts const& facts) {
    rlimit limit{};
    return judged(::prlimit(victim(facts), RLIMIT_CORE, nullptr, &limit), "limits of a host process");
}

Outcome capabilities(Facts const& facts) {
    if (!own_namespaces(facts, 0)) return untried("no user namespace");
    auto const status = slurp("/proc/self/status");
    for (char const* const set : {"CapInh:\t", "CapPrm:\t", "CapEff:\t", "CapAmb:\t"})
        if (auto const at = status.find(set);
            at == std::string::npos || std::strtoull(status.c_str() + at + 8, nullptr, 16) != 0)
            return success(std::string("has some in ") + set);
    return refused_as("bounded", "no capabilities");
}

Outcome new_privileges(Facts const&) {
    int const set = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    return set == 0 ? success("no-new-privileges is not set") : refused_as("bounded", "no-new-privileges is set");
}

Outcome become_root(Facts const& facts) {
    if (!own_namespaces(facts, 0)) return untried("no user namespace");
    if (::syscall(SYS_setresuid, 0, 0, 0) != 0) return refused("setresuid to 0");
    return success("is uid 0");
}

Outcome become_other_group(Facts const& facts) {
    if (!own_namespaces(facts, 0)) return untried("no user namespace");
    return judged(::syscall(SYS_setresgid, 0, 0, 0), "setresgid to 0");
}

Outcome daemonise(Facts const& facts) {
    pid_t const child = ::fork();
    if (child < 0) return refused("fork");
    if (child == 0) {
        ::setsid();
        for (int const number : {SIGHUP, SIGTERM, SIGINT}) ::signal(number, SIG_IGN);
        if (::fork() != 0) ::_exit(0);
        ::close_range(0, ~0U, 0);
        beat(facts);
        ::_exit(0);
    }
    return beats(facts, 2000) ? success("a daemon beats") : untried("the daemon did not start");
}

bool daemon_beats(Facts const& facts) {
    bool const alive = beats(facts, 1000);
    stop_beating(facts);
    return alive;
}

Outcome outlive(Facts const& facts) { // staged by outlive.cpp, which kills whoever started this
    beat(facts);
    return success("beat to the end");
}

} // namespace

Rows process_rows() {
    static constexpr char unseen[] = "ESRCH,EPERM,EACCES,ENOSYS";
    return {
        {"environments", "processes", "looks for a secret in every environment that can be seen", "ENOENT",
         scan_environments},
        {"command-lines", "processes", "looks for a secret in every command line that can be seen", "ENOENT",
         scan_command_lines},
        {"kill", "processes", "signals a host process", "ESRCH,EPERM,bounded", kill_victim, victim_was_signalled},
        {"kill-pidfd", "processes", "signals a host process by pidfd", "ESRCH,EPERM,ENOSYS,EINVAL,bounded",
         pidfd_signal, victim_was_signalled},
        {"kill-all", "processes", "signals everybody", "ESRCH,EPERM", kill_all},
        {"kill-group", "processes", "signals a host process group", "ESRCH,EPERM", kill_group},
        {"renice", "processes", "changes the priority of a host process", unseen, renice},
        {"affinity", "processes", "changes the processors of a host process", unseen, pin},
        {"prlimit", "processes", "reads the limits of a host process", unseen, limit_victim},
        {"capabilities", "processes", "has capabilities", "bounded", capabilities},
        {"no-new-privileges", "processes", "may get privileges by exec", "bounded", new_privileges},
        {"set-uid-0", "processes", "becomes uid 0", "EPERM,EINVAL", become_root},
        {"set-gid-0", "processes", "becomes gid 0", "EPERM,EINVAL", become_other_group},
        {"daemon", "processes", "daemonises to outlive its end", "bounded", daemonise, daemon_beats},
        {"host-killed", "processes", "lives on when the host is killed by SIGKILL", "bounded", outlive, nullptr,
         Staging::outlive},
    };
}

} // namespace attack
