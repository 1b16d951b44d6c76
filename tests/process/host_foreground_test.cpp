// pfar host in the foreground, as systemd, a container and a person at a terminal run it.
#include "process/host_home.hpp"
#include "support/child.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>

#include <cstring>

using test::has;
using test::HostHome;
using test::long_enough;

namespace {

/// Runs `pfar host` with its stderr where we can read it.
class Foreground {
public:
    explicit Foreground(HostHome const& home, std::vector<std::string> environment = {}, int terminal = -1) {
        int ends[2];
        REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::setenv("PFAR_HOME", home.dir.path().c_str(), 1);
            ::unsetenv("PFAR_LOG");
            for (auto& entry : environment) ::putenv(entry.data());
            ::dup2(terminal >= 0 ? terminal : ends[1], 2);
            ::execl(PFAR_PROGRAM, "pfar", "host", nullptr);
            ::_exit(127);
        }
        ::close(ends[1]);
        said_ = ends[0];
    }
    Foreground(Foreground const&) = delete;
    Foreground& operator=(Foreground const&) = delete;
    ~Foreground() {
        ::close(said_);
        if (pid_ == 0) return;
        ::kill(pid_, SIGKILL);
        test::ended(pid_);
    }

    /// What it has said once it has said this; or all of it.
    std::string until(std::string const& part) { return until(part, said_); }
    static std::string until(std::string const& part, int from) {
        std::string all;
        char bytes[4096];
        for (ssize_t size = 0; all.find(part) == std::string::npos;) {
            pollfd wait{from, POLLIN, 0};
            if (::poll(&wait, 1, long_enough) != 1 || (size = ::read(from, bytes, sizeof bytes)) <= 0) break;
            all.append(bytes, static_cast<std::size_t>(size));
        }
        return all;
    }
    [[nodiscard]] pid_t pid() const { return pid_; }
    int stop(int signal) {
        ::kill(pid_, signal);
        return test::ended(std::exchange(pid_, 0));
    }

private:
    pid_t pid_ = 0;
    int said_ = -1;
};

} // namespace

TEST_CASE("a host in the foreground says when it is ready, is used, and stops when it is interrupted") {
    HostHome const home("[host]\nidle_exit = \"1ms\"\n");
    Foreground host(home);
    CHECK(has(host.until("ready"), "pfar host: ready, 0 servers, socket " + (home.dir / "run/pfar.sock").native()));
    CHECK(home.pid() == host.pid());
    CHECK(home.started() == host.pid()); // and it does not leave when it is idle
    auto const second = home.pfar({"host"});
    CHECK(second.status == 69);
    CHECK(has(second.err, "a host of this home already runs, pid " + std::to_string(host.pid())));
    CHECK(has(home.pfar({"host", "status"}).out, "in the foreground"));
    CHECK(host.stop(SIGINT) == 0);
    CHECK_FALSE(std::filesystem::exists(home.dir / "run/pfar.sock"));
    CHECK(home.recorded("start", 1) == 1);
}

TEST_CASE("systemd is told when the host is ready and when it stops") {
    HostHome const home;
    auto const path = (home.dir / "notify").native();
    int const socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path.c_str());
    REQUIRE(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    Foreground host(home, {"NOTIFY_SOCKET=" + path});
    CHECK(Foreground::until("READY=1", socket) == "READY=1");
    CHECK(home.started() == host.pid());
    CHECK(host.stop(SIGTERM) == 0);
    CHECK(Foreground::until("STOPPING=1", socket) == "STOPPING=1");
    ::close(socket);
}

TEST_CASE("on a terminal there is a table below the log, and at the end there is none") {
    HostHome const home;
    int const terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(terminal >= 0);
    REQUIRE((::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0));
    int const other = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    winsize const size{24, 40, 0, 0};
    ::ioctl(other, TIOCSWINSZ, &size);
    {
        Foreground host(home, {"TERM=xterm"}, other);
        auto const shown = Foreground::until("ready, 0 servers", terminal);
        CHECK(has(shown, "NAME  STATE  TOOLS  PID  RESTARTS"));
        CHECK(host.stop(SIGTERM) == 0);
    }
    ::close(other);
    auto const rest = Foreground::until("(not said)", terminal);
    auto const last_table = rest.rfind("NAME  STATE"), last_erased = rest.rfind("\x1b[1A\x1b[J");
    CHECK(last_erased != std::string::npos);
    CHECK((last_table == std::string::npos || last_table < last_erased));
    ::close(terminal);
}
