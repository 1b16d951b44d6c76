// Files by openat and friends: the standard streams can neither check an open file nor sync one.
#include "private_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

namespace pfar::vault_file {

namespace {

std::string mode_text(mode_t mode) {
    std::string text;
    for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + ((mode >> shift) & 7));
    return text;
}

std::string chown_command(std::filesystem::path const& path) {
    return "sudo chown " + std::to_string(::geteuid()) + " " + path.string();
}

Error error_because(std::filesystem::path const& path, std::string_view what, std::string const& why) {
    return fail(Errc::io, path.string().append(" ").append(what).append(": ").append(why));
}

Result<void> write_all(int fd, std::string_view content, std::filesystem::path const& path) {
    while (!content.empty()) {
        auto const written = ::write(fd, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return write_error(path, "cannot be written");
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

/// `path` is what the person knows the file by, not the name that it has until it is whole.
Result<void> write_content(int fd, std::string_view content, std::filesystem::path const& path, Survives what) {
    if (::fchmod(fd, 0600) != 0) return write_error(path, "cannot be made private");
    PFAR_CHECK(write_all(fd, content, path));
    if (what == Survives::power_cut && ::fsync(fd) != 0) return write_error(path, "cannot be written to the disk");
    return {};
}

Result<void> rename_over(Dir const& dir, std::string const& from, std::string const& to) {
    auto const at = dir.fd.number();
    if (::renameat(at, from.c_str(), at, to.c_str()) != 0) return write_error(dir.path / to, "cannot be replaced");
    return {};
}

} // namespace

Error read_error(std::filesystem::path const& path, std::string_view what) {
    auto const reason = errno;
    std::string why = std::strerror(reason);
    if (reason == ELOOP || reason == ENOTDIR)
        why = "it is a symbolic link or no directory; put the thing itself there";
    else if (reason == EACCES || reason == EPERM)
        why = "you may not; run: chmod u+rwX " + path.string() + " (or " + chown_command(path) + " if it is not yours)";
    auto error = error_because(path, what, why);
    if (reason == ENOENT) error.code = Errc::not_found;
    return error;
}

Error write_error(std::filesystem::path const& path, std::string_view what) {
    auto const reason = errno;
    auto const dir = path.parent_path();
    std::string why = std::strerror(reason);
    if (reason == ENOSPC || reason == EDQUOT)
        why = "the disk is full; free some space and try again";
    else if (reason == EEXIST)
        why = "something is there already; move it away";
    else if (reason == EROFS)
        why = "the file system is read-only; make it writable, or let PFAR_HOME be elsewhere";
    else if (reason == EACCES || reason == EPERM)
        why = "you may not write there; run: chmod u+rwx " + dir.string() + " (or " + chown_command(dir) +
              " if it is not yours)";
    return error_because(path, what, why + "; nothing was changed");
}

Result<void> check_private(int fd, std::filesystem::path const& path) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return read_error(path, "cannot be examined");
    if (status.st_uid != ::geteuid())
        return fail(Errc::refused, path.string() + " belongs to uid " + std::to_string(status.st_uid) +
                                       ", not to you; if it is yours, run: " + chown_command(path));
    if ((status.st_mode & 077) == 0) return {};
    return fail(Errc::refused, path.string() + " is open to others (mode " + mode_text(status.st_mode) +
                                   "); run: chmod " + (S_ISDIR(status.st_mode) ? "700 " : "600 ") + path.string());
}

Result<Dir> open_private_dir(std::filesystem::path const& path) {
    Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return read_error(path, "cannot be opened");
    PFAR_CHECK(check_private(fd.number(), path));
    return Dir{path, std::move(fd)};
}

Result<Dir> make_private_dir(std::filesystem::path const& path) {
    if (::mkdir(path.c_str(), 0700) == 0) {
        Fd const parent(::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!parent || ::fsync(parent.number()) != 0) return write_error(path, "cannot be written to the disk");
    } else if (errno != EEXIST) {
        return write_error(path, "cannot be made");
    }
    return open_private_dir(path);
}

Result<Fd> open_private_file(Dir const& dir, std::string const& name) {
    auto const path = dir.path / name;
    Fd fd(::openat(dir.fd.number(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd) return read_error(path, "cannot be opened");
    struct stat status {};
    if (::fstat(fd.number(), &status) != 0) return read_error(path, "cannot be examined");
    if (!S_ISREG(status.st_mode)) return error_because(path, "cannot be read", "it is no file; move it away");
    PFAR_CHECK(check_private(fd.number(), path));
    return fd;
}

Result<std::string> read_private_file(Dir const& dir, std::string const& name, std::size_t limit) {
    auto const path = dir.path / name;
    PFAR_TRY(fd, open_private_file(dir, name));
    struct stat status {};
    if (::fstat(fd.number(), &status) != 0) return read_error(path, "cannot be examined");
    // One byte more than it should be, so that a longer file is seen as one.
    std::string content(std::min(limit, static_cast<std::size_t>(status.st_size)) + 1, '\0');
    std::size_t size = 0;
    while (size < content.size()) {
        auto const got = ::read(fd.number(), content.data() + size, content.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return read_error(path, "cannot be read");
        if (got == 0) break;
        size += static_cast<std::size_t>(got);
    }
    if (size == content.size())
        return error_because(path, "cannot be read", "it is longer than it may be; put a backup back, or move it away");
    content.resize(size);
    return content;
}

Result<void> write_new_file(Dir const& dir, std::string const& name, std::string_view content) {
    auto const at = dir.fd.number();
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    Fd const fd(::openat(at, name.c_str(), flags, 0600));
    if (!fd) return write_error(dir.path / name, "cannot be made");
    auto written = write_content(fd.number(), content, dir.path / name, Survives::power_cut);
    if (!written) ::unlinkat(at, name.c_str(), 0);
    return written;
}

Result<void> replace_file(Dir const& dir, std::string const& name, std::string_view content, Survives what) {
    auto const at = dir.fd.number();
    auto const fresh = "." + name + ".new"; // one name is enough: there is one writer, and what a crash left goes
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    ::unlinkat(at, fresh.c_str(), 0);
    Fd const fd(::openat(at, fresh.c_str(), flags, 0600));
    if (!fd) return write_error(dir.path / name, "cannot be replaced");
    auto replaced = write_content(fd.number(), content, dir.path / name, what);
    if (replaced) replaced = rename_over(dir, fresh, name);
    if (!replaced) ::unlinkat(at, fresh.c_str(), 0); // a full disk should not stay fuller
    if (!replaced || what == Survives::crash) return replaced;
    return sync_dir(dir);
}

Result<void> remove_file(Dir const& dir, std::string const& name) {
    if (::unlinkat(dir.fd.number(), name.c_str(), 0) == 0) return sync_dir(dir);
    if (errno == ENOENT) return {};
    return write_error(dir.path / name, "cannot be removed");
}

Result<void> sync_dir(Dir const& dir) {
    if (::fsync(dir.fd.number()) == 0) return {};
    auto error = read_error(dir.path, "cannot be written to the disk");
    error.what += "; the change is made, but may not survive a power cut";
    return error;
}

Result<Fd> lock_dir(Dir const& dir, std::chrono::milliseconds patience) {
    auto const path = dir.path / "lock";
    Fd fd(::openat(dir.fd.number(), "lock", O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!fd) return write_error(path, "cannot be opened");
    struct stat status {};
    if (::fstat(fd.number(), &status) != 0 || !S_ISREG(status.st_mode))
        return fail(Errc::io, path.string() + " is not a file; remove it");
    for (auto const end = std::chrono::steady_clock::now() + patience; ::flock(fd.number(), LOCK_EX | LOCK_NB) != 0;) {
        if (errno != EWOULDBLOCK && errno != EINTR) return write_error(path, "cannot be locked");
        if (std::chrono::steady_clock::now() >= end)
            return fail(Errc::unavailable, path.string() + " is held by another process; try again when it is done");
        std::this_thread::sleep_for(std::chrono::milliseconds(1)); // there is no flock with a time limit
    }
    return fd;
}

} // namespace pfar::vault_file
