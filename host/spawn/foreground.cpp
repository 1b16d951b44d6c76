// As system(3) does it, without a shell of its own.
#include "spawn/foreground.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace pfar::spawn {
namespace {

/// Signals of the keyboard are not for us, as long as it lives.
class Deaf {
public:
    Deaf() {
        struct sigaction ignore {};
        ignore.sa_handler = SIG_IGN;
        ::sigaction(SIGINT, &ignore, &interrupt_);
        ::sigaction(SIGQUIT, &ignore, &quit_);
    }
    Deaf(Deaf const&) = delete;
    Deaf& operator=(Deaf const&) = delete;
    ~Deaf() {
        ::sigaction(SIGINT, &interrupt_, nullptr);
        ::sigaction(SIGQUIT, &quit_, nullptr);
    }

private:
    struct sigaction interrupt_ {
    }, quit_{};
};

int start(pid_t& child, std::vector<char*> const& words) {
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t usual;
    sigemptyset(&usual);
    for (int const signal : {SIGINT, SIGQUIT, SIGPIPE}) sigaddset(&usual, signal);
    ::posix_spawnattr_setsigdefault(&attributes, &usual);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int const error = ::posix_spawn(&child, words[0], nullptr, &attributes, words.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    return error;
}

} // namespace

Result<int> run_in_foreground(std::vector<std::string> const& argv) {
    auto copies = argv;
    std::vector<char*> words;
    for (auto& word : copies) words.push_back(word.data());
    words.push_back(nullptr);
    Deaf const deaf;
    pid_t child = 0;
    if (int const error = start(child, words); error != 0)
        return fail(Errc::unavailable,
                    fmt::format("{} cannot be started: {}", base::printable(argv[0]), base::errno_text(error)));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fail(Errc::internal, fmt::format("how {} ended is not known", base::printable(argv[0])));
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace pfar::spawn
