#include "house/vault_bell.hpp"

#include "base/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace pfar::house {
namespace {

Error no_bell(std::filesystem::path const& path) {
    return fail(Errc::io, fmt::format("{} cannot be used to tell running servers of a change: {}", path.native(),
                                      base::errno_text(errno)));
}

/// Opening it to write and closing it is what is heard.
Result<std::filesystem::path> touch(std::filesystem::path const& home) {
    auto const path = home / "run/vault-changed";
    ::mkdir((home / "run").c_str(), 0700); // it may be there
    base::Fd const file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return no_bell(path);
    return path;
}

} // namespace

Result<void> ring_vault_bell(std::filesystem::path const& home) {
    PFAR_CHECK(touch(home));
    return {};
}

Result<VaultBell> VaultBell::listen(std::filesystem::path const& home) {
    PFAR_TRY(path, touch(home));
    base::Fd events(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!events || ::inotify_add_watch(events.number(), path.c_str(), IN_CLOSE_WRITE) < 0) return no_bell(path);
    return VaultBell(std::move(events));
}

void VaultBell::hear() {
    alignas(inotify_event) char events[4096];
    while (::read(fd(), events, sizeof events) > 0) {}
}

} // namespace pfar::house
