#include "house/flow_journal_files.hpp"

#include "base/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes just_begun{1};
constexpr std::chrono::milliseconds between_looks{50}, for_others{20'000};

/// ".PID-NUMBER", of a process that is no more.
bool maker_is_gone(fs::path const& directory) {
    auto const pid = std::atoi(directory.filename().c_str() + 1);
    return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

} // namespace

std::vector<fs::path> journals(fs::path const& home) {
    std::vector<fs::path> out;
    std::error_code error;
    for (fs::directory_iterator at(home / "run" / "flows", error); !error && at != fs::directory_iterator();
         at.increment(error)) {
        std::error_code unknown;
        bool const fresh = at->path().filename().native().starts_with('.') && !maker_is_gone(at->path()) &&
                           fs::file_time_type::clock::now() - fs::last_write_time(at->path(), unknown) < just_begun;
        if (!fresh) out.push_back(at->path()); // one that stays so was killed at its beginning
    }
    std::sort(out.begin(), out.end());
    return out;
}

Result<base::Fd> lock_journal(fs::path const& directory) {
    base::Fd lock{
        ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)}; // nothing comes into one that is just removed
    if (!lock)
        return fail(Errc::io, fmt::format("{} cannot be opened: {}", directory.native(), base::errno_text(errno)));
    if (::flock(lock.number(), LOCK_EX | LOCK_NB) != 0)
        return fail(Errc::conflict, fmt::format("{} belongs to a conversation that is going on", directory.native()));
    return lock;
}

base::Fd turn_to_recover(fs::path const& home) {
    base::Fd lock{::open((home / "run" / "flows.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    for (auto waited = between_looks; lock && ::flock(lock.number(), LOCK_EX | LOCK_NB) != 0; waited += between_looks) {
        if (waited > for_others) return {};
        std::this_thread::sleep_for(between_looks);
    }
    return lock;
}

} // namespace pfar::house
