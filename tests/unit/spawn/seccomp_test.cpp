#include "spawn/seccomp_rules.hpp"
#include "support/temp_dir.hpp"
#include "unit/spawn/filtered.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>

#include <algorithm>

using namespace pfar;
using test::Attempt;
using test::check_allowed;
using test::check_refused;
using test::filter;
using test::raw;

namespace {

struct Call {
    char const* name;
    long number;
};

/// By arguments that make no sense: whatever the kernel says to them, it is not EPERM for root, and nothing happens.
int senseless(long number) {
    return raw(number, -1L, -1L, -1L, -1L, -1L, -1L);
}

constexpr Call never[] = {
    {"unshare", SYS_unshare},
    {"setns", SYS_setns},
    {"mount", SYS_mount},
    {"umount2", SYS_umount2},
    {"pivot_root", SYS_pivot_root},
    {"chroot", SYS_chroot},
    {"open_tree", 428},
    {"move_mount", 429},
    {"fsopen", 430},
    {"fsconfig", 431},
    {"fsmount", 432},
    {"fspick", 433},
    {"mount_setattr", 442},
    {"open_tree_attr", 467},
    {"open_by_handle_at", SYS_open_by_handle_at},
    {"fanotify_init", SYS_fanotify_init},
    {"keyctl", SYS_keyctl},
    {"add_key", SYS_add_key},
    {"request_key", SYS_request_key},
    {"ptrace", SYS_ptrace},
    {"process_vm_readv", SYS_process_vm_readv},
    {"process_vm_writev", SYS_process_vm_writev},
    {"process_madvise", 440},
    {"pidfd_getfd", 438},
    {"kcmp", SYS_kcmp},
    {"bpf", SYS_bpf},
    {"perf_event_open", SYS_perf_event_open},
    {"userfaultfd", SYS_userfaultfd},
    {"lookup_dcookie", SYS_lookup_dcookie},
    {"nfsservctl", SYS_nfsservctl},
    {"kexec_load", SYS_kexec_load},
    {"kexec_file_load", SYS_kexec_file_load},
    {"init_module", SYS_init_module},
    {"finit_module", SYS_finit_module},
    {"delete_module", SYS_delete_module},
    {"swapon", SYS_swapon},
    {"swapoff", SYS_swapoff},
    {"acct", SYS_acct},
    {"quotactl", SYS_quotactl},
    {"quotactl_fd", 443},
    {"syslog", SYS_syslog},
    {"reboot", SYS_reboot},
    {"settimeofday", SYS_settimeofday},
    {"clock_settime", SYS_clock_settime},
    {"clock_adjtime", SYS_clock_adjtime},
    {"adjtimex", SYS_adjtimex},
    {"sethostname", SYS_sethostname},
    {"setdomainname", SYS_setdomainname},
#ifdef SYS_iopl
    {"iopl", SYS_iopl},
    {"ioperm", SYS_ioperm},
#endif
};

constexpr Call not_there[] = {
    {"clone3", 435}, {"openat2", 437}, {"io_uring_setup", 425}, {"io_uring_enter", 426}, {"io_uring_register", 427}};

} // namespace

TEST_CASE("calls that reach beyond a process are refused") {
    bool const root = ::geteuid() == 0;
    for (auto const& call : never) {
        INFO(call.name);
        CHECK(test::under(filter(), [&] { return senseless(call.number); }) == EPERM);
        if (root)
            CHECK(test::in_child([&] { return senseless(call.number); }) !=
                  EPERM); // the kernel refuses others by itself
    }
    check_refused("unshare of nothing", EPERM, [] { return raw(SYS_unshare, 0); });
    check_refused("tracing oneself", EPERM, [] { return raw(SYS_ptrace, 0, 0, 0, 0); });
    if (root) check_refused("vhangup", EPERM, [] { return ::setsid() < 0 ? 254 : raw(SYS_vhangup); }); // of no terminal
}

TEST_CASE("calls whose flags a filter cannot see seem not to be there") {
    for (auto const& call : not_there) check_refused(call.name, ENOSYS, [&] { return senseless(call.number); });
}

TEST_CASE("a filter may be made stricter from within, and queries stay") {
    check_allowed("seccomp", [] { return raw(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, nullptr); });
    check_allowed("landlock", [] { return raw(444, nullptr, 0, 1); });
    check_allowed("prctl", [] { return raw(SYS_prctl, PR_GET_DUMPABLE, 0, 0, 0, 0); });
    check_allowed("name_to_handle_at", [] { return raw(SYS_name_to_handle_at, -1, -1L, -1L, -1L, 0); });
    check_allowed("mbind", [] { return raw(SYS_mbind, 0, 0, 0, 0, 0, 0); });
}

TEST_CASE("clone makes processes and threads but no namespaces") {
    for (unsigned long const flag :
         {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWUSER})
        CHECK(test::under(filter(), [&] { return raw(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0); }) == EPERM);
    auto const in_namespace = [] {
        long const child = ::syscall(SYS_clone, CLONE_NEWUTS | SIGCHLD, 0, 0, 0, 0);
        if (child == 0) ::_exit(0);
        return child < 0 ? errno : test::ended(static_cast<pid_t>(child));
    };
    if (::geteuid() == 0) check_refused("a namespace", EPERM, in_namespace);
    CHECK(test::under(filter(), [] { return test::in_child([] { return 7; }); }) == 7);
}

TEST_CASE("personality answers, and changes nothing") {
    for (unsigned long const wish : {0x0040000UL, 0x0400000UL, 1UL, 0x80000000UL, 0xfffffffeUL, 0x1'0000'0008UL})
        check_refused("personality", EPERM, [&] { return raw(SYS_personality, wish); });
    for (unsigned long const wish : {0UL, 0xffffffffUL, ~0UL})
        CHECK(test::under(filter(), [&] { return raw(SYS_personality, wish); }) == 0);
}

TEST_CASE("nothing can be typed into a terminal, whatever is in the upper half of the register") {
    for (unsigned long const request : {0x5412UL, 0x541cUL, 0x5423UL, 0x1'0000'5412UL, 0xffff'ffff'0000'5412UL})
        check_refused("ioctl", EPERM, [&] { return raw(SYS_ioctl, -1, request, 0); });
    check_allowed("window size", [] { return raw(SYS_ioctl, -1, TIOCGWINSZ, 0); });
}

TEST_CASE("no file becomes set-uid, set-gid or a device") {
    test::TempDir const dir;
    auto const file = dir.write("file", "");
    auto const fresh = dir / "fresh";
    char const* const old = file.c_str();
    char const* const path = fresh.c_str();
    auto const made = [&](Attempt const& attempt) {
        return [=] {
            int const error = attempt();
            ::unlink(path);
            return error;
        };
    };
    for (int const bit : {S_ISUID, S_ISGID, S_ISUID | S_ISGID | S_ISVTX}) {
        int const mode = bit | 0755;
#ifdef SYS_chmod
        check_refused("chmod", EPERM, [&] { return raw(SYS_chmod, old, mode); });
        check_refused("open", EPERM, made([&] { return raw(SYS_open, path, O_CREAT | O_WRONLY, mode); }));
        check_refused("creat", EPERM, made([&] { return raw(SYS_creat, path, mode); }));
        check_refused("mknod", EPERM, made([&] { return raw(SYS_mknod, path, S_IFREG | mode, 0); }));
#endif
        check_refused("fchmod", EPERM, [&] { return raw(SYS_fchmod, ::open(old, O_RDONLY), mode); });
        check_refused("fchmodat", EPERM, [&] { return raw(SYS_fchmodat, AT_FDCWD, old, mode); });
        check_refused("fchmodat2", EPERM, [&] { return raw(452, AT_FDCWD, old, mode, 0); });
        check_refused("openat", EPERM, made([&] { return raw(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY, mode); }));
        check_refused("O_TMPFILE", EPERM,
                      [&] { return raw(SYS_openat, AT_FDCWD, dir.path().c_str(), O_TMPFILE | O_RDWR, mode); });
        check_refused("mknodat", EPERM, made([&] { return raw(SYS_mknodat, AT_FDCWD, path, S_IFREG | mode, 0); }));
    }
    for (int const device : {S_IFCHR, S_IFBLK}) {
        auto const attempt = made([&] { return raw(SYS_mknodat, AT_FDCWD, path, device | 0600, 0x103); });
        CHECK(test::under(filter(), attempt) == EPERM);
        if (::geteuid() == 0) CHECK(test::in_child(attempt) == 0);
    }
    CHECK(test::under(filter(), made([&] { return raw(SYS_mknodat, AT_FDCWD, path, S_IFIFO | 0600, 0); })) == 0);
    CHECK(test::under(filter(), [&] { return raw(SYS_fchmodat, AT_FDCWD, old, 01777); }) == 0);
    CHECK(test::under(filter(), [&] { return raw(SYS_openat, AT_FDCWD, old, O_RDONLY, -1L); }) ==
          0); // no file made: no mode
}

TEST_CASE("memory that no process maps is there unless it is to be seen") {
    spawn::FilterWishes const wishes{.deny_hidden_memory = true};
    auto const segment = [] {
        long const id = ::syscall(SYS_shmget, 0, 4096, 01600);
        return id < 0 ? errno : raw(SYS_shmctl, id, 0, 0);
    };
    auto const queue = [] {
        long const id = ::syscall(SYS_msgget, 0, 01600);
        return id < 0 ? errno : raw(SYS_msgctl, id, 0, 0);
    };
    auto const memory = [] { return raw(SYS_memfd_create, "x", 0); };
    for (auto const& attempt : {Attempt(segment), Attempt(queue), Attempt(memory)}) {
        check_refused("hidden", ENOSYS, attempt, wishes);
        CHECK(test::under(filter(), attempt) == 0);
    }
    CHECK(test::under(filter(wishes), [] { return raw(447, 0); }) == ENOSYS); // memfd_secret, which few kernels have
}

#ifdef __x86_64__
TEST_CASE("calls of a foreign ABI kill") {
    auto const int80 = [] {
        long result = 20; // getpid there
        asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
        return result > 0 ? 0 : 1;
    };
    auto const x32 = [] { return raw(0x40000000L | SYS_getpid); };
    for (auto const& attempt : {Attempt(int80), Attempt(x32)}) {
        CHECK(test::under(filter(), attempt) == 1000 + SIGSYS);
        CHECK(test::in_child(attempt) < 1000);
    }
    CHECK(test::in_child(int80) == 0);
}
#endif

TEST_CASE("the rest of the numbers is named by prefixes, each number once") {
    for (auto const& allowed : {std::vector<std::uint32_t>{1, 5}, {0, 15}, {7}, {1, 2, 10}, {}}) {
        auto const conditions = spawn::none_of(0, allowed, 4);
        for (std::uint32_t number = 0; number < 16; ++number) {
            auto const hits = std::count_if(conditions.begin(), conditions.end(),
                                            [&](auto const& is) { return (number & is.mask) == is.value; });
            bool const is_allowed = std::find(allowed.begin(), allowed.end(), number) != allowed.end();
            CHECK(hits == (is_allowed || allowed.empty() ? 0 : 1));
        }
    }
}
