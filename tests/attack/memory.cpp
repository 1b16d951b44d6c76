// Memory bombs, of every kind that is counted in another way. They run with 64 MiB; the cap is 400 MiB, and keeping more than one
// and a half times the limit for a second is a success.
#include "attack.hpp"

#include <atomic>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attack {
namespace {

constexpr char limit[] = "64m";
constexpr char stopped[] = "killed,bounded,ENOSYS,ENOMEM,ENOSPC,EPERM,EDQUOT,EFBIG";
constexpr std::size_t mebibyte = 1 << 20, step = 8 * mebibyte, cap = 400 * mebibyte, bound = 96 * mebibyte;
constexpr int files_cap = 100000;

Outcome kept(std::size_t bytes, char const* what) {
    if (bytes > bound) sleep_ms(1000);
    auto const text = std::to_string(bytes / mebibyte) + " MiB " + what;
    return bytes > bound ? success(text) : refused_as("bounded", text);
}

Outcome mapped(int kind, char const* what) {
    std::size_t bytes = 0;
    for (; bytes < cap; bytes += step) {
        void* const room = ::mmap(nullptr, step, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED) break;
        std::memset(room, 1, step);
    }
    return kept(bytes, what);
}

Outcome private_memory(Facts const&) {
    return mapped(MAP_PRIVATE, "of private memory");
}

Outcome shared_memory(Facts const&) {
    return mapped(MAP_SHARED, "of shared memory");
}

/// Writes in steps until it is refused.
std::size_t fills(int fd) {
    static char const block[mebibyte] = {1};
    std::size_t bytes = 0;
    while (bytes < cap) {
        auto const got = ::write(fd, block, sizeof block);
        if (got <= 0) break;
        bytes += static_cast<std::size_t>(got);
    }
    return bytes;
}

Outcome memory_file(Facts const&) {
    int const fd = ::memfd_create("bomb", MFD_CLOEXEC);
    return fd < 0 ? refused("memfd_create") : kept(fills(fd), "in a memory file that is not mapped");
}

Outcome sysv_memory(Facts const&) {
    int const id = ::shmget(IPC_PRIVATE, cap, IPC_CREAT | 0600);
    if (id < 0) return refused("shmget");
    auto* const room = static_cast<char*>(::shmat(id, nullptr, 0));
    ::shmctl(id, IPC_RMID, nullptr); // gone with this process
    if (reinterpret_cast<std::intptr_t>(room) == -1) return refused("shmat");
    std::memset(room, 1, cap);
    return kept(cap, "of SysV memory");
}

Outcome file_system(std::string const& directory, char const* what) {
    auto const path = directory + "/pfar-attack-bomb";
    int const fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) return refused(what);
    ::unlink(path.c_str());
    return kept(fills(fd), what);
}

Outcome tmp_files(Facts const&) {
    return file_system("/tmp", "in /tmp");
}

Outcome shm_files(Facts const&) {
    return file_system("/dev/shm", "in /dev/shm");
}

/// Inside there is nothing else that could be filled; in the control there is /var/tmp for everybody.
Outcome other_files(Facts const&) {
    Outcome last = refused("");
    for (char const* const directory : {"/", "/dev", "/run", "/var", "/var/tmp", "/etc"}) {
        last = file_system(directory, "elsewhere than in /tmp");
        if (last.verdict == Verdict::success) break;
    }
    return last;
}

constexpr std::size_t child_bytes = 20 * mebibyte, child_count = 20;

[[noreturn]] void fill_and_wait(std::atomic<bool>& full) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    void* const room = ::mmap(nullptr, child_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) ::_exit(1);
    std::memset(room, 1, child_bytes);
    full = true;
    for (;;) ::pause();
}

/// Each stays far below the limit; together they are above it. One that is still at it holds less, so only full ones count, and only
/// if they live for another second.
Outcome twenty_children(Facts const&) {
    auto* const full = static_cast<std::atomic<bool>*>(
        ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    std::vector<pid_t> children;
    for (std::size_t i = 0; i < child_count; ++i) {
        pid_t const child = ::fork();
        if (child < 0) break;
        if (child == 0) fill_and_wait(full[i]);
        children.push_back(child);
    }
    sleep_ms(1500);
    bool was_full[child_count] = {};
    for (std::size_t i = 0; i < children.size(); ++i) was_full[i] = full[i];
    sleep_ms(1000);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < children.size(); ++i) {
        if (::waitpid(children[i], nullptr, WNOHANG) != 0) continue;
        if (was_full[i]) bytes += child_bytes;
        ::kill(children[i], SIGKILL);
    }
    auto const text = std::to_string(bytes / mebibyte) + " MiB in children";
    return bytes > bound ? success(text) : refused_as("bounded", text);
}

/// What waits in sockets is the kernel's memory: no mapping shows it.
Outcome sockets(Facts const&) {
    std::size_t bytes = 0;
    static char const block[65536] = {1};
    for (int ends[2]; bytes < cap && ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0;)
        for (int const end : ends)
            for (ssize_t got = 0; (got = ::write(end, block, sizeof block)) > 0;)
                bytes += static_cast<std::size_t>(got);
    return kept(bytes, "waiting in sockets");
}

/// Empty files take no room of a tmpfs, but the kernel needs about a KiB for each. The control has a tmpfs of its own: a disk is slow.
Outcome empty_files(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNS)) return untried("no mount namespace");
    if (is_control(facts) && ::mount("tmpfs", "/tmp", "tmpfs", 0, nullptr) != 0) return untried("no tmpfs");
    auto const directory = "/tmp/pfar-attack-files-" + fact(facts, "digest");
    if (::mkdir(directory.c_str(), 0700) != 0) return refused("mkdir in /tmp");
    int const within = ::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    int count = 0;
    for (int file = -1;
         count < files_cap && (file = ::openat(within, std::to_string(count).c_str(), O_CREAT | O_CLOEXEC, 0600)) >= 0;
         ++count)
        ::close(file);
    for (int i = 0; i < count; ++i) ::unlinkat(within, std::to_string(i).c_str(), 0);
    ::rmdir(directory.c_str());
    auto const text = std::to_string(count) + " empty files";
    return count == files_cap ? success(text) : refused_as("bounded", text);
}

/// Messages that nobody takes are the kernel's memory as well. The control has queues of its own, gone with it.
Outcome queues(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWIPC)) return untried("no namespaces");
    struct {
        long type = 1;
        char text[8192] = {};
    } const message;
    std::vector<int> all;
    std::size_t bytes = 0;
    for (int queue = -1; bytes < cap && (queue = ::msgget(IPC_PRIVATE, IPC_CREAT | 0600)) >= 0;) {
        all.push_back(queue);
        while (::msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT) == 0) bytes += sizeof message.text;
    }
    auto outcome = kept(bytes, "waiting in message queues");
    for (int const queue : all) ::msgctl(queue, IPC_RMID, nullptr);
    return outcome;
}

} // namespace

Rows memory_rows() {
    Rows rows{
        {"memory-private", "resources", "fills private memory", stopped, private_memory},
        {"memory-shared", "resources", "fills shared memory", stopped, shared_memory},
        {"memory-file", "resources", "fills a memory file that it does not map", stopped, memory_file},
        {"memory-sysv", "resources", "fills SysV memory", stopped, sysv_memory},
        {"memory-children", "resources", "fills memory in twenty children", stopped, twenty_children},
        {"memory-sockets", "resources", "fills the buffers of sockets", stopped, sockets},
        {"memory-queues", "resources", "fills SysV message queues", stopped, queues},
        {"tmp-files", "resources", "fills /tmp with empty files", stopped, empty_files},
        {"tmp-fill", "resources", "fills /tmp", stopped, tmp_files},
        {"shm-fill", "resources", "fills /dev/shm", stopped, shm_files},
        {"other-fill", "resources", "fills /, /dev, /run, /var", "killed,bounded,ENOSPC,EROFS,EACCES,EPERM,ENOENT",
         other_files},
    };
    for (auto& row : rows) row.memory = limit;
    return rows;
}

} // namespace attack
