// Directories further up may be sticky (/tmp) or writable by the owner's private group, which has nobody else in it: a
// checkout made under umask 002 is not an attack.
#include "base/ownership.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pfar::base {
namespace {

bool is_private_group(gid_t group, uid_t owner) {
    auto const* const user = ::getpwuid(owner);
    if (user == nullptr || user->pw_gid != group) return false;
    std::string const name = user->pw_name;
    auto const* const entry = ::getgrgid(group);
    if (entry == nullptr || name != entry->gr_name) return false;
    for (auto member = entry->gr_mem; *member != nullptr; ++member)
        if (name != *member) return false;
    return true;
}

Error refuse(std::filesystem::path const& path, char const* why) {
    return fail(Errc::refused,
                fmt::format("{} {}; run: chmod go-w {}", printable(path.native()), why, printable(path.native())));
}

Result<void> check(std::filesystem::path const& path, bool strict) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0)
        return fail(errno == ENOENT ? Errc::not_found : Errc::io,
                    fmt::format("{} could not be looked at: {}", printable(path.native()), errno_text(errno)));
    if (status.st_uid != 0 && status.st_uid != ::geteuid())
        return fail(Errc::refused, fmt::format("{} belongs to uid {}; only your own files and root's are used",
                                               printable(path.native()), status.st_uid));

    bool const sticky = !strict && S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
    if (sticky) return {};
    if ((status.st_mode & S_IWOTH) != 0) return refuse(path, "can be written by everybody");
    if ((status.st_mode & S_IWGRP) != 0 && (strict || !is_private_group(status.st_gid, status.st_uid)))
        return refuse(path, "can be written by its group");
    return {};
}

} // namespace

Result<std::filesystem::path> only_ours(std::filesystem::path const& path, Strictness strictness) {
    std::error_code error;
    auto const real = std::filesystem::canonical(path, error);
    if (error)
        return fail(error == std::errc::no_such_file_or_directory ? Errc::not_found : Errc::io,
                    fmt::format("{} could not be looked at: {}", printable(path.native()), error.message()));

    bool strict = strictness == Strictness::strict;
    PFAR_CHECK(check(real, strict));
    strict = strict && !std::filesystem::is_directory(real, error);
    for (auto above = real.parent_path();; strict = false, above = above.parent_path()) {
        PFAR_CHECK(check(above, strict));
        if (above == above.root_path()) return real;
    }
}

} // namespace pfar::base
