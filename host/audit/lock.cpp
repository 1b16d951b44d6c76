// Asked again and again instead of waited for: flock has no timeout, and a process that Ctrl-Z stopped in the middle of writing must not stop
// all others for good.
#include "audit/lock.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <thread>

namespace pfar::audit {
namespace {

/// A record on a read-only medium can be verified too, if it came with its lock.
base::Fd open_lock(std::filesystem::path const& file) {
    base::Fd made{::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (made || (errno != EACCES && errno != EROFS)) return made;
    return base::Fd{::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
}

} // namespace

Held::~Held() {
    // Said, not left to the close: a child that was forked in the meantime shares it.
    if (file_) ::flock(file_.number(), LOCK_UN);
}

Result<Held> hold(std::filesystem::path const& directory, std::chrono::milliseconds patience) {
    auto const path = directory / "lock";
    auto const deadline = std::chrono::steady_clock::now() + patience;
    auto file = open_lock(path);
    while (file && ::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail(Errc::io, fmt::format("{} could not be locked: {}", base::printable(path.native()),
                                              base::errno_text(errno)));
        if (std::chrono::steady_clock::now() > deadline)
            return fail(Errc::timeout, fmt::format("{} is held by another pfar that does not let go; is one stopped?",
                                                   base::printable(path.native())));
        std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
    if (!file)
        return fail(errno == ENOENT ? Errc::not_found : Errc::io,
                    fmt::format("{} could not be opened: {}", base::printable(path.native()), base::errno_text(errno)));
    return Held(std::move(file));
}

} // namespace pfar::audit
