// Taking the machine down: processes, threads, descriptors, floods. Every attempt has a cap, so that the control harms nobody.
#include "attack.hpp"

#include <atomic>
#include <csignal>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attack {
namespace {

constexpr std::size_t process_cap = 2000, process_bound = 300;
constexpr int descriptor_bound = 10000;
constexpr long flood_cap = 16 << 20, flood_bound = 8 << 20;

Outcome counted(std::size_t count, std::size_t bound, char const* what) {
    auto const text = std::to_string(count) + " " + what;
    return count > bound ? success(text) : refused_as("bounded", text);
}

Outcome fork_bomb(Facts const&) {
    std::vector<pid_t> children;
    while (children.size() < process_cap) {
        pid_t const child = ::fork();
        if (child < 0) break;
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;) ::pause();
        }
        children.push_back(child);
    }
    for (pid_t const child : children) ::kill(child, SIGKILL);
    for (pid_t const child : children) ::waitpid(child, nullptr, 0);
    return counted(children.size(), process_bound, "processes");
}

void* wait_for_ever(void*) {
    for (;;) ::pause();
}

Outcome thread_bomb(Facts const&) {
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, 16384);
    std::size_t count = 0;
    for (pthread_t thread; count < process_cap && ::pthread_create(&thread, &attributes, wait_for_ever, nullptr) == 0;)
        ++count;
    return counted(count, process_bound, "threads");
}

/// Raises the limit as far as it goes first, as an attacker would.
Outcome descriptors(Facts const&) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < 20000) limit.rlim_cur = limit.rlim_max = 20000; // root may go beyond
    ::setrlimit(RLIMIT_NOFILE, &limit);
    int count = 0;
    while (count < descriptor_bound * 2 && ::dup(0) >= 0) ++count;
    ::close_range(3, ~0U, 0);
    return counted(static_cast<std::size_t>(count), descriptor_bound, "descriptors");
}

/// How much is taken off it in a second and a half while nobody reads.
Outcome floods(int fd) {
    auto* const written = static_cast<std::atomic<long>*>(
        ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    pid_t const child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        std::string const line(65535, '.');
        while (*written < flood_cap) {
            auto const got = ::write(fd, (line + "\n").data(), line.size() + 1);
            if (got <= 0) break;
            *written += got;
        }
        ::_exit(0);
    }
    for (int i = 0; i < 30 && *written < flood_cap; ++i) sleep_ms(50);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return counted(static_cast<std::size_t>(written->load()), flood_bound, "bytes that nobody read");
}

Outcome flood_output(Facts const&) {
    return floods(1);
}

Outcome flood_errors(Facts const&) {
    return floods(2);
}

} // namespace

Rows resource_rows() {
    return {
        {"fork-bomb", "resources", "starts thousands of processes", "bounded", fork_bomb},
        {"thread-bomb", "resources", "starts thousands of threads", "bounded", thread_bomb},
        {"descriptors", "resources", "opens more than ten thousand descriptors", "bounded", descriptors},
        {"stdout-flood", "resources", "floods stdout while nobody reads", "bounded", flood_output, nullptr,
         Staging::flood_output},
        {"stderr-flood", "resources", "floods stderr while nobody reads", "bounded", flood_errors, nullptr,
         Staging::flood_errors},
    };
}

} // namespace attack
