// Parts of the kernel that a server does not need and that attackers like, and foreign ways to call it.
#include "attack.hpp"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sys/io.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

namespace attack {
namespace {

constexpr char filtered[] = "EPERM,EACCES,ENOSYS";
constexpr char machine_root[] = "only the machine's root may, in whatever namespace";

Outcome ring(Facts const&) {
    io_uring_params parameters{};
    return judged(::syscall(SYS_io_uring_setup, 4, &parameters), "io_uring_setup");
}

Outcome programs(Facts const&) {
    bpf_attr attributes{};
    attributes.map_type = BPF_MAP_TYPE_ARRAY;
    attributes.key_size = 4;
    attributes.value_size = 4;
    attributes.max_entries = 1;
    return judged(::syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes), "bpf");
}

Outcome counters(Facts const&) {
    perf_event_attr attributes{};
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    return judged(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0), "perf_event_open");
}

Outcome faults(Facts const&) {
    return judged(::syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY), "userfaultfd");
}

/// Each with arguments that do nothing even if it were allowed; one that is obeyed is enough.
constexpr struct {
    char const* name;
    long (*call)();
} machine_switches[] = {
    {"finit_module", [] { return ::syscall(SYS_finit_module, -1, "", 0); }},
    {"delete_module", [] { return ::syscall(SYS_delete_module, "pfar-no-such-module", O_NONBLOCK); }},
    {"reboot", [] { return ::syscall(SYS_reboot, 0, 0, 0, nullptr); }},
    {"swapon", [] { return static_cast<long>(::swapon("/nowhere", 0)); }},
    {"acct", [] { return ::syscall(SYS_acct, "/nowhere"); }},
    {"iopl", [] { return static_cast<long>(::iopl(3)); }},
    {"ioperm", [] { return static_cast<long>(::ioperm(0x80, 1, 1)); }},
    {"the kernel's log",
     [] {
         char text[64];
         return ::syscall(SYS_syslog, 3, text, sizeof text);
     }},
    {"sysrq", [] { return static_cast<long>(::open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC)); }},
    {"/proc/kcore", [] { return static_cast<long>(::open("/proc/kcore", O_RDONLY | O_CLOEXEC)); }},
    {"/dev/mem", [] { return static_cast<long>(::open("/dev/mem", O_RDONLY | O_CLOEXEC)); }},
};

Outcome switches(Facts const&) {
    int first = 0;
    for (auto const& one : machine_switches) {
        if (one.call() >= 0) return success(one.name);
        if (first == 0) first = errno;
    }
    errno = first;
    return refused("modules, reboot, swap, accounting, ports, the kernel's log and memory");
}

/// getpid as a 32-bit program would call it; a filter for one ABI does not see it.
Outcome by_interrupt(Facts const&) {
    return judged_child(in_child([] {
#if defined(__x86_64__)
                            long result = 20;
                            asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
                            return result == ::getpid() ? 0 : result < 0 ? static_cast<int>(-result) : ENOSYS;
#else
                            return ENOSYS;
#endif
                        }),
                        "a 32-bit system call");
}

Outcome by_x32(Facts const&) {
    return judged_child(in_child([] {
                            long const result = ::syscall(0x40000000 + 39);
                            return result == ::getpid() ? 0 : errno;
                        }),
                        "an x32 system call");
}

} // namespace

Rows kernel_rows() {
    return {
        {"io-uring", "kernel", "sets up io_uring", filtered, ring},
        {"bpf", "kernel", "makes a BPF map", filtered, programs, nullptr, Staging::plain, nullptr, machine_root},
        {"perf", "kernel", "opens a performance counter", filtered, counters},
        {"userfaultfd", "kernel", "handles its own page faults", filtered, faults},
        {"machine-switches", "kernel", "modules, reboot, swap, accounting, ports, log, sysrq, memory", filtered,
         switches, nullptr, Staging::plain, nullptr, machine_root},
        {"abi-32", "kernel", "calls the kernel as a 32-bit program", "killed,ENOSYS,EPERM", by_interrupt},
        {"abi-x32", "kernel", "calls the kernel as an x32 program", "killed,ENOSYS,EPERM", by_x32, nullptr,
         Staging::plain, nullptr, "most kernels are built without x32", "most kernels are built without x32"},
    };
}

} // namespace attack
