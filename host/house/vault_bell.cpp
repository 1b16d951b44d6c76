#include "house/vault_bell.hpp"

#include "base/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pfar::house {
namespace {

constexpr char name[] = "vault-changed";

Error no_bell(std::filesystem::path const& path) {
    return fail(Errc::io, fmt::format("{} cannot be used to tell running servers of a changed credential: {}",
                                      path.native(), base::errno_text(errno)));
}

std::filesystem::path directory(std::filesystem::path const& home) {
    ::mkdir((home / "run").c_str(), 0700); // it may be there
    return home / "run";
}

} // namespace

/// Opening it to write and closing it is what is heard.
Result<void> ring_vault_bell(std::filesystem::path const& home) {
    auto const path = directory(home) / name;
    base::Fd const file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!file) return no_bell(path);
    return {};
}

Result<void> VaultBell::watch() {
    auto const path = directory(home_);
    constexpr auto events = IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
    if (::inotify_add_watch(fd(), path.c_str(), events) < 0) return no_bell(path / name);
    return {};
}

Result<VaultBell> VaultBell::listen(std::filesystem::path const& home) {
    VaultBell bell(base::Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)), home);
    if (!bell.events_) return no_bell(home / "run" / name);
    PFAR_CHECK(bell.watch());
    return bell;
}

bool VaultBell::heard() {
    bool rang = false, lost = false;
    alignas(inotify_event) char events[4096];
    for (ssize_t size = 0; (size = ::read(fd(), events, sizeof events)) > 0;)
        for (char const* at = events; at < events + size;) {
            auto const* const event = reinterpret_cast<inotify_event const*>(at);
            lost = lost || (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_Q_OVERFLOW)) != 0;
            rang = rang || (event->len != 0 && std::strcmp(event->name, name) == 0);
            at += sizeof *event + event->len;
        }
    if (lost) (void)watch(); // what was missed meanwhile may have been the bell
    return rang || lost;
}

} // namespace pfar::house
