#include "traced.hpp"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace pfar::vault_file {

namespace {

struct Call {
    long number;
    char const* name;
    int path; // which argument is the last of its paths; -1: none
};

constexpr Call calls[] = {
#ifdef SYS_mkdir
    {SYS_mkdir, "mkdir", 0},
#endif
#ifdef SYS_renameat
    {SYS_renameat, "renameat", 3},
#endif
    {SYS_mkdirat, "mkdirat", 1},   {SYS_renameat2, "renameat", 3}, {SYS_unlinkat, "unlinkat", 1},
    {SYS_linkat, "linkat", 3},     {SYS_write, "write", -1},       {SYS_fsync, "fsync", -1},
    {SYS_fchmod, "fchmod", -1},    {SYS_add_key, "add_key", -1},   {SYS_keyctl, "keyctl", -1},
    {SYS_openat, "openat", 1},
};

std::string text_at(pid_t pid, std::uint64_t address) {
    char text[256] = {};
    iovec local{text, sizeof text - 1}, remote{reinterpret_cast<void*>(address), sizeof text - 1};
    ::process_vm_readv(pid, &local, 1, &remote, 1, 0);
    return text;
}

/// Empty if it changes nothing.
std::string step_of(pid_t pid, __ptrace_syscall_info const& info) {
    for (auto const& call : calls) {
        if (call.number != static_cast<long>(info.entry.nr)) continue;
        if (call.number == SYS_openat && (info.entry.args[2] & (O_CREAT | O_TRUNC)) == 0) return "";
        return call.path < 0 ? call.name : std::string(call.name) + " " + text_at(pid, info.entry.args[call.path]);
    }
    return "";
}

void be_traced(std::function<void()> const& body) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(99);
    ::raise(SIGSTOP);
    body();
    ::_exit(0);
}

} // namespace

Traced run_until(std::size_t at, std::function<void()> const& body) {
    Traced out;
    auto const pid = ::fork();
    if (pid == 0) be_traced(body);
    if (pid < 0 || ::waitpid(pid, &out.status, 0) != pid || !WIFSTOPPED(out.status)) {
        out.problem = "a child cannot be traced here";
        return out;
    }
    ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    for (int signal = 0;;) {
        ::ptrace(PTRACE_SYSCALL, pid, nullptr, signal);
        if (::waitpid(pid, &out.status, 0) != pid || !WIFSTOPPED(out.status)) return out;
        bool const is_call = WSTOPSIG(out.status) == (SIGTRAP | 0x80);
        signal = is_call ? 0 : WSTOPSIG(out.status);
        __ptrace_syscall_info info{};
        if (!is_call || ::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) < 0) continue;
        auto step = info.op == PTRACE_SYSCALL_INFO_ENTRY ? step_of(pid, info) : "";
        if (step.empty()) continue;
        out.steps.push_back(std::move(step));
        if (out.steps.size() <= at) continue;
        out.killed = true;
        ::kill(pid, SIGKILL);
        ::waitpid(pid, &out.status, 0);
        return out;
    }
}

} // namespace pfar::vault_file
