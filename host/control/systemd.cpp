// systemd-run waits for a unit of Type=notify. Variables go by their names: their values are on no command line.
#include "control/systemd.hpp"

#include "base/digest.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace pfar::control {
namespace {

bool there_is_one() {
    char const* const runtime = std::getenv("XDG_RUNTIME_DIR");
    return runtime != nullptr && *runtime == '/' &&
           ::access((std::string(runtime) + "/systemd/private").c_str(), F_OK) == 0;
}

/// systemd's own words to the process that it started are not for the next one.
bool is_passed_on(std::string_view name) {
    for (auto const own :
         {"NOTIFY_SOCKET", "INVOCATION_ID", "JOURNAL_STREAM", "LISTEN_PID", "LISTEN_FDS", "SYSTEMD_EXEC_PID"})
        if (name == own) return false;
    auto const fits = [](unsigned char byte) { return std::isalnum(byte) != 0 || byte == '_'; };
    return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
           std::all_of(name.begin(), name.end(), fits);
}

std::vector<std::string> words_for(Launching const& launching, std::string const& program) {
    auto const hash = base::sha256(launching.home.native()).substr(0, 12);
    std::vector<std::string> words{"systemd-run",
                                   "--user",
                                   "--quiet",
                                   "--collect",
                                   fmt::format("--unit=pfar-host-{}-{}", hash, ::getpid()),
                                   "--description=pfar host",
                                   "--property=Type=notify",
                                   "--property=Delegate=yes",
                                   "--property=KillMode=mixed",
                                   "--working-directory=/"};
    for (char** entry = ::environ; *entry != nullptr; ++entry) {
        auto const name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
        if (is_passed_on(name)) words.push_back(fmt::format("--setenv={}", name));
    }
    words.insert(words.end(), {"--", program, "host", "--detached"});
    return words;
}

pid_t start_quietly(std::vector<std::string> words) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files{};
    ::posix_spawn_file_actions_init(&files);
    for (int fd = 0; fd < 3; ++fd) ::posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    pid_t child = 0;
    int const error = ::posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), ::environ);
    ::posix_spawn_file_actions_destroy(&files);
    return error == 0 ? child : 0;
}

/// Its exit code, or -1 if it took too long.
int ended_within(pid_t child, std::chrono::milliseconds patience) {
    auto const deadline = std::chrono::steady_clock::now() + patience;
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
            return -1;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

bool launch_as_unit(Launching const& launching) {
    if (!there_is_one()) return false;
    std::error_code error;
    auto const program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error || !std::filesystem::exists(program, error)) return false; // its file was replaced or removed
    auto const child = start_quietly(words_for(launching, program.native()));
    return child > 0 && ended_within(child, launching.patience) == 0;
}

void notify_systemd(std::string_view state) {
    char const* const where = std::getenv("NOTIFY_SOCKET");
    sockaddr_un address{};
    if (where == nullptr || std::strlen(where) >= sizeof address.sun_path) return;
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, where);
    if (*where == '@') address.sun_path[0] = '\0';
    auto const size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(where));
    base::Fd const socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ::sendto(socket.number(), state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&address), size);
}

} // namespace pfar::control
