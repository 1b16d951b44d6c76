// posix_spawn of this very file (/proc/self/exe), whatever lies under its name by now. The pipe brings one line: "ready", or an error object.
#include "control/launch.hpp"

#include "base/files.hpp"
#include "control/errors.hpp"
#include "control/systemd.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string>

namespace pfar::control {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int ready_fd = 3;
constexpr std::chrono::seconds before_note{1};

struct Actions {
    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};

    explicit Actions(int ready) {
        ::posix_spawn_file_actions_init(&files);
        for (int fd = 0; fd < 3; ++fd) ::posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
        ::posix_spawn_file_actions_adddup2(&files, ready, ready_fd);
        ::posix_spawn_file_actions_addclosefrom_np(&files, ready_fd + 1);
        ::posix_spawn_file_actions_addchdir_np(&files, "/");
        sigset_t none, all;
        sigemptyset(&none), sigfillset(&all);
        ::posix_spawnattr_init(&attributes);
        ::posix_spawnattr_setsigmask(&attributes, &none);
        ::posix_spawnattr_setsigdefault(&attributes, &all);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    Actions(Actions const&) = delete;
    Actions& operator=(Actions const&) = delete;
    ~Actions() {
        ::posix_spawn_file_actions_destroy(&files);
        ::posix_spawnattr_destroy(&attributes);
    }
};

Result<void> spawn_host(int ready) {
    std::array<std::string, 5> words{"pfar", "host", "--detached", "--ready", std::to_string(ready_fd)};
    std::array<char*, words.size() + 1> argv{};
    std::transform(words.begin(), words.end(), argv.begin(), [](auto& word) { return word.data(); });
    Actions const actions(ready);
    pid_t child = 0;
    int const error =
        ::posix_spawn(&child, "/proc/self/exe", &actions.files, &actions.attributes, argv.data(), ::environ);
    if (error != 0) return fail(Errc::io, fmt::format("no host can be started: {}", base::errno_text(error)));
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {} // it only leaves another one behind
    return {};
}

/// What the new host says, up to its end; none if the time is over.
std::optional<std::string> hear(base::Fd const& ready, Launching const& launching) {
    auto const begin = Clock::now();
    std::string said;
    for (bool noted = false;;) {
        auto const passed = Clock::now() - begin;
        if (passed > launching.patience) return {};
        auto const next = noted ? launching.patience : std::min<Clock::duration>(before_note, launching.patience);
        auto const wait = std::chrono::ceil<std::chrono::milliseconds>(next - passed).count();
        pollfd poll{ready.number(), POLLIN, 0};
        auto const heard = ::poll(&poll, 1, static_cast<int>(std::max<std::int64_t>(wait, 0)));
        if (heard == 0 && !noted && launching.note) launching.note("starting the host ...");
        noted = noted || heard == 0;
        if (heard <= 0) continue;
        std::array<char, 4096> bytes{};
        auto const size = ::read(ready.number(), bytes.data(), bytes.size());
        if (size <= 0) return said;
        said.append(bytes.data(), static_cast<std::size_t>(size));
    }
}

Result<void> launch_plainly(Launching const& launching) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Errc::io, fmt::format("no pipe can be made: {}", base::errno_text(errno)));
    base::Fd const ours(ends[0]);
    base::Fd theirs(ends[1]);
    auto const log = fmt::format("its log is {}", (launching.home / "log/pfar.log").native());
    PFAR_CHECK(spawn_host(theirs.number()));
    theirs = base::Fd();
    auto const said = hear(ours, launching);
    if (!said) return fail(Errc::timeout, fmt::format("the host that was started is not ready yet; {}", log));
    if (said->empty()) return fail(Errc::unavailable, fmt::format("the host that was started ended at once; {}", log));
    if (said == "ready") return {};
    return error_in(*said);
}

} // namespace

Result<void> launch_host(Launching const& launching) {
    if (launch_as_unit(launching)) return {};
    return launch_plainly(launching);
}

void leave_starter() {
    if (::fork() > 0) ::_exit(0);          // if there can be no second process, this one has to do
    ::prctl(PR_SET_NAME, "pfar", 0, 0, 0); // ps would call it "exe"
}

void say_ready(base::Fd there, Result<void> const& ready) {
    auto const said = ready ? std::string("ready") : error_object(ready.error());
    if (there) (void)!::write(there.number(), said.data(), said.size()); // nobody may wait for it any more
}

} // namespace pfar::control
