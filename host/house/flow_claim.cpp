#include "house/flow_claim.hpp"

#include "base/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pfar::house {

Claim::~Claim() {
    if (lock_) ::unlink(place_.c_str()); // while it is still locked, so that nobody else's is removed
}

/// Once more if its file was removed by whoever had it, before it was locked.
Result<Claim> Claim::take(std::filesystem::path const& run, std::string const& server) {
    auto const place = run / fmt::format("flow-{}.lock", server);
    for (;;) {
        base::Fd lock{::open(place.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
        if (!lock)
            return fail(Errc::io, fmt::format("{} cannot be opened: {}", place.native(), base::errno_text(errno)));
        if (::flock(lock.number(), LOCK_EX | LOCK_NB) != 0)
            return fail(
                Errc::conflict,
                fmt::format("another conversation is about {} just now; finish or cancel that one first", server));
        struct stat ours {
        }, there{};
        bool const same = ::fstat(lock.number(), &ours) == 0 && ::stat(place.c_str(), &there) == 0 &&
                          ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
        if (same) return Claim(place, std::move(lock));
    }
}

} // namespace pfar::house
