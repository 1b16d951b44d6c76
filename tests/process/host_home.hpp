// A home whose host is this test's own: found by its lock, waited for by its process, gone at the end.
#pragma once

#include "support/process.hpp"
#include "support/temp_dir.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace test {

/// True once the process is gone; it need not be a child.
inline bool is_gone_within(pid_t pid, int milliseconds) {
    int const process = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (process < 0) return true;
    pollfd wait{process, POLLIN, 0};
    bool const gone = ::poll(&wait, 1, milliseconds) == 1;
    ::close(process);
    return gone;
}

class HostHome {
public:
    explicit HostHome(std::string const& settings = "") {
        if (!settings.empty()) dir.write("pfar.toml", settings);
    }
    HostHome(HostHome const&) = delete;
    HostHome& operator=(HostHome const&) = delete;
    ~HostHome() { (void)pfar({"host", "stop"}); }

    [[nodiscard]] Outcome pfar(std::vector<std::string> words) const {
        return test::pfar(dir.path(), std::move(words));
    }
    /// Of the last host.
    [[nodiscard]] pid_t pid() const { return std::atoi(read(dir / "run/host.lock").c_str()); }
    /// Of one that surely runs.
    [[nodiscard]] pid_t started() const { return pfar({"list"}).status == 0 ? pid() : -1; }
    /// How often the record has it. It is written behind what happens: so many are waited for.
    [[nodiscard]] std::size_t recorded(std::string const& action, std::size_t awaited = 0) const {
        auto count = count_recorded(action);
        for (int tries = 0; count < awaited && tries < 1000; ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            count = count_recorded(action);
        }
        return count;
    }
    [[nodiscard]] std::size_t count_recorded(std::string const& action) const {
        auto const text = read(dir / "audit/audit-000001.jsonl"), part = R"("kind":"host","action":")" + action + "\"";
        std::size_t count = 0;
        for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
        return count;
    }

    TempDir dir;
};

constexpr int long_enough = 60'000;

} // namespace test
