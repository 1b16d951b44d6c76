// It stays in the host's process group, because it may have to ask on the terminal, and gets nothing else of the
// host's: no input, no descriptors, no blocked or ignored signals.
#include "key_command.hpp"

#include <pfar/fd.hpp>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

namespace pfar::vault_file {

namespace {

using Clock = std::chrono::steady_clock;

/// A running command; killed if nobody waited for it.
class Running {
public:
    explicit Running(pid_t pid) : pid_(pid) {}
    Running(Running const&) = delete;
    Running& operator=(Running const&) = delete;
    ~Running() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
    }

    /// Its wait status, or nothing if it is not over in time.
    std::optional<int> wait(Clock::time_point end) {
        for (;;) {
            int status = 0;
            auto const waited = ::waitpid(pid_, &status, WNOHANG);
            if (waited > 0 || (waited < 0 && errno != EINTR)) pid_ = 0;
            if (pid_ == 0) return waited > 0 ? status : unknown;
            if (Clock::now() >= end) return std::nullopt;
            std::this_thread::sleep_for(std::chrono::milliseconds(1)); // it has closed its output: it is about to end
        }
    }

private:
    static constexpr int unknown = 127 << 8; // somebody else waited for it: whether it failed cannot be told
    pid_t pid_;
};

Error command_error(Errc code, std::string const& what) {
    return fail(code, "key_command of the vault " + what + "; see [plugins.vault-file] in pfar.toml");
}

int spawn_shell(pid_t& pid, std::string const& command, int output) {
    posix_spawnattr_t how;
    posix_spawn_file_actions_t files;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_init(&how);
    ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setsigmask(&how, &none);
    ::posix_spawnattr_setsigdefault(&how, &all);
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    char const* const words[] = {"sh", "-c", command.c_str(), nullptr};
    auto const failed = ::posix_spawn(&pid, "/bin/sh", &files, &how, const_cast<char**>(words), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&how);
    return failed;
}

/// How much it printed, at most one byte more than it may; nothing if it did not stop in time.
std::optional<std::size_t> read_output(int fd, char* to, Clock::time_point end) {
    std::size_t size = 0;
    while (size <= max_output) {
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd waiting{fd, POLLIN, 0};
        auto const ready = ::poll(&waiting, 1, static_cast<int>(std::max<long>(left, 0)));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return std::nullopt;
        auto const got = ::read(fd, to + size, max_output + 1 - size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        size += static_cast<std::size_t>(got);
    }
    return size;
}

Result<void> check_end(int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    if (WIFEXITED(status))
        return command_error(Errc::refused, "failed with exit status " + std::to_string(WEXITSTATUS(status)));
    return command_error(Errc::refused, "was ended by signal " + std::to_string(WTERMSIG(status)));
}

Result<Secret> without_line_breaks(Secret const& output, std::size_t size) {
    auto const text = output.reveal().substr(0, size);
    auto const last = text.find_last_not_of("\r\n");
    if (last == std::string_view::npos)
        return command_error(Errc::refused, "printed nothing, and should print the key");
    return Secret(text.substr(0, last + 1));
}

} // namespace

Result<Secret> run_key_command(std::string const& command, std::chrono::milliseconds patience) {
    auto const end = Clock::now() + patience;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return command_error(Errc::io, std::string("got no pipe: ") + std::strerror(errno));
    Fd const reading(ends[0]);
    Fd writing(ends[1]);
    pid_t pid = 0;
    if (auto const failed = spawn_shell(pid, command, writing.number()); failed != 0)
        return command_error(Errc::io, std::string("cannot be started: ") + std::strerror(failed));
    Running running(pid);
    writing = Fd();

    std::optional<std::size_t> size;
    auto const output =
        Secret::filled(max_output + 1, [&](char* to) { size = read_output(reading.number(), to, end); });
    if (size > max_output) return command_error(Errc::refused, "printed more than 4096 bytes, which is no key");
    auto const status = size ? running.wait(end) : std::nullopt;
    if (!status)
        return command_error(Errc::timeout, "did not end within " + std::to_string(patience.count() / 1000) + " s");
    PFAR_CHECK(check_end(*status));
    return without_line_breaks(output, *size);
}

} // namespace pfar::vault_file
