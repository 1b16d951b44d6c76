// Other processes' memory and descriptors. Inside, process 1 is the sandbox's own launcher; in the control the victim stands for it.
#include "attack.hpp"

#include <csignal>

#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attack {
namespace {

pid_t victim(Facts const& facts) {
    return static_cast<pid_t>(number(facts, "victim"));
}

pid_t launcher(Facts const& facts) {
    return is_control(facts) ? victim(facts) : 1;
}

Outcome traces(pid_t pid, char const* whom) {
    if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) return refused(std::string("ptrace of ") + whom);
    ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr);
    ::waitpid(pid, nullptr, __WALL);
    ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
    return success(std::string("traced ") + whom);
}

Outcome trace_victim(Facts const& facts) {
    return traces(victim(facts), "a host process");
}

Outcome trace_launcher(Facts const& facts) {
    return traces(launcher(facts), "process 1");
}

Outcome trace_child(Facts const&) {
    return judged_child(in_child([] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : errno; }),
                        "ptrace of a child");
}

/// Of another process, so it points at nothing here.
void* secret_address(Facts const& facts) {
    auto const place = std::strtoull(fact(facts, "address").c_str(), nullptr, 16);
    return reinterpret_cast<void*>(place); // NOLINT(performance-no-int-to-ptr)
}

Outcome read_memory(Facts const& facts) {
    char text[64] = {};
    iovec here{text, 40};
    iovec there{secret_address(facts), 40};
    if (::process_vm_readv(victim(facts), &here, 1, &there, 1, 0) < 0) return refused("process_vm_readv");
    errno = ENODATA;
    return judged(has_secret(facts, text) ? 0 : -1, "read a host process's memory");
}

Outcome write_memory(Facts const& facts) {
    char text[1] = {secret_mark[0]}; // what is there anyway
    iovec here{text, 1};
    iovec there{secret_address(facts), 1};
    return judged(::process_vm_writev(victim(facts), &here, 1, &there, 1, 0), "wrote a host process's memory");
}

Outcome opens_memory(pid_t pid) {
    auto const path = "/proc/" + std::to_string(pid) + "/mem";
    int const fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd >= 0) ::close(fd);
    return judged(fd, path);
}

Outcome victim_memory_file(Facts const& facts) {
    return opens_memory(victim(facts));
}

Outcome launcher_memory_file(Facts const& facts) {
    return opens_memory(launcher(facts));
}

Outcome launcher_environment(Facts const& facts) {
    auto const text = slurp("/proc/" + std::to_string(launcher(facts)) + "/environ");
    if (text.find('=') != std::string::npos) return success("process 1 has an environment that can be read");
    return text.empty() && errno != ENODATA ? refused("/proc/1/environ") : refused_as("bounded", "it is empty");
}

Outcome launcher_descriptors(Facts const& facts) {
    auto const path = "/proc/" + std::to_string(launcher(facts)) + "/fd";
    for (int fd = 3; fd < 64; ++fd)
        if (::access((path + "/" + std::to_string(fd)).c_str(), F_OK) == 0) return success("sees " + path);
    return refused(path);
}

/// Over the running program of the launcher, for its next start; "busy" comes only after permission was given.
Outcome launcher_program(Facts const& facts) {
    auto const path = "/proc/" + std::to_string(launcher(facts)) + "/exe";
    int const fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd >= 0) ::close(fd);
    return fd >= 0 || errno == ETXTBSY ? success("may write " + path) : refused(path);
}

Outcome steal_descriptor(Facts const& facts) {
    long const pidfd = ::syscall(SYS_pidfd_open, victim(facts), 0);
    if (pidfd < 0) return refused("pidfd_open of a host process");
    long const fd = ::syscall(SYS_pidfd_getfd, pidfd, number(facts, "victim_fd"), 0);
    return fd < 0 ? refused("pidfd_getfd") : success("took a descriptor of a host process");
}

Outcome steal_from_launcher(Facts const& facts) {
    long const pidfd = ::syscall(SYS_pidfd_open, launcher(facts), 0);
    if (pidfd < 0) return refused("pidfd_open of process 1");
    return judged(::syscall(SYS_pidfd_getfd, pidfd, 0, 0), "took a descriptor of process 1");
}

Outcome compare(Facts const& facts) {
    return judged(::syscall(SYS_kcmp, ::getpid(), victim(facts), KCMP_VM, 0, 0), "kcmp with a host process");
}

} // namespace

Rows memory_access_rows() {
    static constexpr char unseen[] = "ESRCH,EPERM,EACCES,ENOSYS,ENOENT";
    return {
        {"ptrace", "processes", "traces a host process", unseen, trace_victim},
        {"ptrace-launcher", "processes", "traces process 1", unseen, trace_launcher},
        {"ptrace-child", "processes", "traces a child of its own", "EPERM,ENOSYS", trace_child},
        {"process-vm-read", "processes", "reads a host process's memory", unseen, read_memory},
        {"process-vm-write", "processes", "writes a host process's memory", unseen, write_memory},
        {"proc-mem", "processes", "opens a host process's memory file", unseen, victim_memory_file},
        {"launcher-mem", "processes", "opens process 1's memory file", unseen, launcher_memory_file},
        {"launcher-environ", "processes", "reads process 1's environment", "bounded,EPERM,EACCES,ENOENT",
         launcher_environment},
        {"launcher-fds", "processes", "looks at process 1's descriptors", unseen, launcher_descriptors},
        {"launcher-program", "processes", "writes over the program of process 1", "EACCES,EPERM,EROFS,ENOENT",
         launcher_program},
        {"pidfd-getfd", "processes", "takes a descriptor of a host process", "ESRCH,EPERM,ENOSYS,EINVAL",
         steal_descriptor},
        {"launcher-getfd", "processes", "takes a descriptor of process 1", unseen, steal_from_launcher},
        {"kcmp", "processes", "compares itself with a host process", unseen, compare},
    };
}

} // namespace attack
