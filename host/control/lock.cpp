// Asked again and again instead of waited for: flock has no timeout. Whoever only looks holds it shared for a moment, so the first no is not the last.
#include "control/lock.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <thread>

namespace pfar::control {
namespace {

using std::chrono::milliseconds;

constexpr char lock_name[] = "host.lock", start_name[] = "start.lock";
constexpr milliseconds step{5}, lookers_patience{250};

Error no_lock(RunDirectory const& run, char const* name) {
    return fail(Errc::io, fmt::format("{} cannot be used: {}; a host has to write there",
                                      base::printable((run.path() / name).native()), base::errno_text(errno)));
}

base::Fd open_lock(RunDirectory const& run, char const* name) {
    constexpr int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    return base::Fd(::openat(run.fd(), name, flags, 0600));
}

bool lock_within(base::Fd const& file, milliseconds patience) {
    auto const deadline = std::chrono::steady_clock::now() + patience;
    while (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) return false;
        if (std::chrono::steady_clock::now() > deadline) return errno = EWOULDBLOCK, false;
        std::this_thread::sleep_for(step);
    }
    return true;
}

std::string_view line_of(std::string_view& text) {
    auto const line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
}

Holder read_holder(base::Fd const& file) {
    std::array<char, 512> bytes{};
    auto const size = ::pread(file.number(), bytes.data(), bytes.size(), 0);
    std::string_view text(bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    Holder out;
    auto const pid = line_of(text);
    std::from_chars(pid.data(), pid.data() + pid.size(), out.pid);
    out.identity.version = base::printable(line_of(text));
    out.identity.build = base::printable(line_of(text));
    return out;
}

/// Written over what was there and then cut, so that nobody reads an empty file.
bool write_holder(base::Fd const& file, Identity const& own) {
    auto const text = fmt::format("{}\n{}\n{}\n", ::getpid(), own.version, own.build);
    auto const written = ::pwrite(file.number(), text.data(), text.size(), 0);
    if (written >= 0 && written != static_cast<ssize_t>(text.size())) errno = ENOSPC;
    return written == static_cast<ssize_t>(text.size()) && ::ftruncate(file.number(), written) == 0;
}

} // namespace

Result<HostLock> HostLock::take(RunDirectory const& run, Identity const& own) {
    auto file = open_lock(run, lock_name);
    if (!file) return no_lock(run, lock_name);
    if (!lock_within(file, lookers_patience)) {
        if (errno != EWOULDBLOCK) return no_lock(run, lock_name);
        return fail(Errc::conflict, fmt::format("a host of this home already runs, pid {}; pfar host stop ends it",
                                                read_holder(file).pid));
    }
    if (!write_holder(file, own)) return no_lock(run, lock_name);
    return HostLock(std::move(file));
}

std::optional<Holder> holder(RunDirectory const& run) {
    base::Fd const file(::openat(run.fd(), lock_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!file || ::flock(file.number(), LOCK_SH | LOCK_NB) == 0) return {};
    return read_holder(file);
}

bool wait_until_free(RunDirectory const& run, milliseconds patience) {
    auto const deadline = std::chrono::steady_clock::now() + patience;
    while (holder(run)) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(step);
    }
    return true;
}

Result<base::Fd> lock_start(RunDirectory const& run, milliseconds patience) {
    auto file = open_lock(run, start_name);
    if (!file) return no_lock(run, start_name);
    if (lock_within(file, patience)) return file;
    if (errno != EWOULDBLOCK) return no_lock(run, start_name);
    return fail(Errc::timeout,
                fmt::format("another pfar has been starting a host for {} s; is one stopped? It holds {}",
                            std::chrono::duration_cast<std::chrono::seconds>(patience).count(),
                            base::printable((run.path() / start_name).native())));
}

} // namespace pfar::control
