#include "house/shred.hpp"

#include "base/fd.hpp"
#include "base/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace pfar::house {
namespace {

bool overwrite(int fd, std::size_t size) {
    std::array<char, 4096> random{};
    for (std::size_t done = 0; done < size;) {
        auto const part = std::min(size - done, random.size());
        if (::getrandom(random.data(), part, 0) < 0) return false;
        auto const wrote = ::pwrite(fd, random.data(), part, static_cast<off_t>(done));
        if (wrote <= 0) return false;
        done += static_cast<std::size_t>(wrote);
    }
    return ::fsync(fd) == 0;
}

bool is_as_seen(struct stat const& now, struct stat const& seen) {
    auto const time = [](timespec const& at) { return std::pair(at.tv_sec, at.tv_nsec); };
    return now.st_dev == seen.st_dev && now.st_ino == seen.st_ino && now.st_size == seen.st_size &&
           time(now.st_mtim) == time(seen.st_mtim) && time(now.st_ctim) == time(seen.st_ctim);
}

} // namespace

Result<void> shred(std::filesystem::path const& file, struct stat const& seen) {
    auto const failed = [&](char const* what) {
        return fail(Errc::io, fmt::format("{} {}: {}", file.native(), what, base::errno_text(errno)));
    };
    struct stat link {};
    if (::lstat(file.c_str(), &link) == 0 && S_ISLNK(link.st_mode))
        return fail(Errc::refused, fmt::format("{} is a link and left as it is; remove the file that it leads to "
                                               "yourself: shred -u",
                                               file.native()));
    base::Fd const fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (!fd || ::fstat(fd.number(), &status) != 0) return failed("cannot be opened to overwrite it");
    if (!S_ISREG(status.st_mode) || status.st_nlink != 1)
        return fail(Errc::refused,
                    fmt::format("{} is not a plain file with one name; remove it yourself", file.native()));
    if (!is_as_seen(status, seen))
        return fail(
            Errc::refused,
            fmt::format("{} has changed since it was read, and is left as it is; import it again", file.native()));
    if (!overwrite(fd.number(), static_cast<std::size_t>(status.st_size))) return failed("cannot be overwritten");
    if (::unlink(file.c_str()) != 0) return failed("was overwritten and cannot be removed");
    return {};
}

} // namespace pfar::house
