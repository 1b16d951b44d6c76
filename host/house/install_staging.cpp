// Two renames, and no exchange of the two: killed between them, what was there before is under a name that says so.
#include "house/install_staging.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "house/install.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view staging_mark = ".installing-";

Error staging_error(fs::path const& path, std::string_view what) {
    return fail(Errc::io,
                fmt::format("{} could not be {}: {}", base::printable(path.native()), what, base::errno_text(errno)));
}

base::Fd lock_staging(fs::path const& directory) {
    base::Fd fd{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (fd && ::flock(fd.number(), LOCK_EX | LOCK_NB) != 0) return {};
    return fd;
}

/// Whoever clears up may have had it between our making and locking it.
bool is_still(base::Fd const& fd, fs::path const& path) {
    struct stat held {
    }, named{};
    return fd && ::fstat(fd.number(), &held) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

/// The lowest number is what was there first.
fs::path free_before(fs::path const& place) {
    for (int number = 1;; ++number) {
        auto path =
            place.parent_path() / fmt::format(".{}.before-{}-{}", place.filename().native(), ::getpid(), number);
        struct stat status {};
        if (::lstat(path.c_str(), &status) != 0) return path;
    }
}

} // namespace

Result<Staging> make_staging(fs::path const& home, std::string const& server) {
    auto const all = home / "mcp-servers";
    if (::mkdir(all.c_str(), 0700) != 0 && errno != EEXIST) return staging_error(all, "made");
    for (int number = 1; number < 1000; ++number) {
        auto const directory = all / fmt::format(".{}{}{}-{}", server, staging_mark, ::getpid(), number);
        if (::mkdir(directory.c_str(), 0700) != 0) {
            if (errno == EEXIST) continue;
            return staging_error(directory, "made");
        }
        auto alive = lock_staging(directory);
        if (is_still(alive, directory)) return Staging{directory, std::move(alive)};
    }
    return fail(Errc::conflict, fmt::format("{} is full of staging directories; remove those that nobody uses",
                                            base::printable(all.native())));
}

void remove_staging(fs::path const& directory) {
    (void)base::remove_tree(directory);
}

Result<fs::path> put_staging(fs::path const& directory, fs::path const& place) {
    auto before = free_before(place);
    if (::rename(place.c_str(), before.c_str()) != 0) {
        if (errno != ENOENT) return staging_error(place, "moved aside");
        before.clear();
    }
    if (::rename(directory.c_str(), place.c_str()) != 0) {
        auto const error = staging_error(place, "put in place");
        if (!before.empty()) ::rename(before.c_str(), place.c_str());
        return error;
    }
    base::Fd const all{::open(place.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (all) ::fsync(all.number());
    return before;
}

void clear_stagings(fs::path const& home) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator at(home / "mcp-servers", error), end; !error && at != end; at.increment(error))
        if (auto const name = at->path().filename().native();
            name.starts_with('.') && name.find(staging_mark) != std::string::npos)
            found.push_back(at->path());
    for (auto const& directory : found)
        if (auto const dead = lock_staging(directory); dead) remove_staging(directory);
}

} // namespace pfar::house
