// The home directory's mode is checked and never changed: PFAR_HOME may name a directory that was not meant to be ours.
#include "base/paths.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace pfar::base {

Result<Layout> layout() {
    std::error_code error;
    auto const program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return fail(Errc::internal, "/proc/self/exe cannot be read, is /proc mounted? " + error.message());
    auto const prefix = program.parent_path().parent_path();
    return Layout{prefix / "lib/pfar/plugins", prefix / "share/pfar", prefix / "libexec/pfar/pfar-shim"};
}

Result<std::filesystem::path> user_home() {
    if (char const* const home = std::getenv("HOME"); home != nullptr && *home == '/')
        return std::filesystem::path(home);
    auto const* const user = ::getpwuid(::geteuid());
    if (user == nullptr || *user->pw_dir != '/')
        return fail(Errc::not_found, "HOME is not set and there is no passwd entry; set PFAR_HOME to an absolute path");
    return std::filesystem::path(user->pw_dir);
}

Result<std::filesystem::path> home() {
    char const* const chosen = std::getenv("PFAR_HOME");
    if (chosen == nullptr || *chosen == '\0') {
        PFAR_TRY(user, user_home());
        return (user / ".pfar").lexically_normal();
    }
    if (*chosen != '/')
        return fail(Errc::invalid, fmt::format("PFAR_HOME is \"{}\"; it has to be an absolute path", chosen));
    auto path = std::filesystem::path(chosen).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
}

Result<void> prepare_home(std::filesystem::path const& home) {
    if (home == "/")
        return fail(Errc::invalid, "PFAR_HOME is /, the root of everything; set it to a directory of its own");
    if (::mkdir(home.c_str(), 0700) != 0 && errno != EEXIST)
        return fail(Errc::io, fmt::format("{} could not be made: {}; set PFAR_HOME to a directory that you can write",
                                          printable(home.native()), errno_text(errno)));
    struct stat status {};
    if (::stat(home.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
        return fail(Errc::io, fmt::format("{} is not a directory; set PFAR_HOME to one", printable(home.native())));
    if (status.st_uid != ::geteuid())
        return fail(Errc::refused,
                    fmt::format("{} belongs to uid {}, not to you; run pfar as that user or set PFAR_HOME",
                                printable(home.native()), status.st_uid));
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return fail(Errc::refused, fmt::format("{} can be written by others; run: chmod 700 {}",
                                               printable(home.native()), printable(home.native())));
    return {};
}

std::string for_people(std::filesystem::path const& path) {
    auto const home = user_home();
    if (!home || *home == "/" || !lies_in(path, *home)) return path.native();
    return "~" + path.native().substr(home->native().size());
}

bool lies_in(std::filesystem::path const& path, std::filesystem::path const& directory) {
    return std::mismatch(directory.begin(), directory.end(), path.begin(), path.end()).first == directory.end();
}

} // namespace pfar::base
