// flock on the directory itself: nothing is left behind.
#include "house/home_lock.hpp"

#include "base/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace pfar::house {

Result<base::Fd> lock_home(std::filesystem::path const& home) {
    base::Fd directory{::open(home.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!directory || ::flock(directory.number(), LOCK_EX) != 0)
        return fail(Errc::io, fmt::format("{} could not be locked: {}", home.native(), base::errno_text(errno)));
    return directory;
}

} // namespace pfar::house
