// Files by openat and friends: the standard streams can neither check an open file nor sync one.
#include "private_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

namespace pfar::vault_file {

namespace {

constexpr char fresh[] = ".new"; // one name is enough: there is one writer, and what a crash left is cut off

std::string mode_text(mode_t mode) {
    std::string text;
    for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + ((mode >> shift) & 7));
    return text;
}

Result<void> write_all(int fd, std::string_view content, std::filesystem::path const& path) {
    while (!content.empty()) {
        auto const written = ::write(fd, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return io_error(path, "cannot be written");
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Error absent_or_io(std::filesystem::path const& path, std::string_view what) {
    auto const absent = errno == ENOENT;
    auto error = io_error(path, what);
    if (absent) error.code = Errc::not_found;
    return error;
}

} // namespace

Error io_error(std::filesystem::path const& path, std::string_view what) {
    auto const* const reason = std::strerror(errno);
    return fail(Errc::io, path.string().append(" ").append(what).append(": ").append(reason));
}

Result<void> check_private(int fd, std::filesystem::path const& path) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return io_error(path, "cannot be examined");
    auto const me = ::geteuid();
    if (status.st_uid != me)
        return fail(Errc::refused, path.string() + " belongs to uid " + std::to_string(status.st_uid) +
                                       ", not to you; if it is yours, run: sudo chown " + std::to_string(me) + " " +
                                       path.string());
    if ((status.st_mode & 077) == 0) return {};
    return fail(Errc::refused, path.string() + " is open to others (mode " + mode_text(status.st_mode) +
                                   "); run: chmod " + (S_ISDIR(status.st_mode) ? "700 " : "600 ") + path.string());
}

Result<Dir> open_private_dir(std::filesystem::path const& path) {
    Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return absent_or_io(path, "cannot be opened");
    PFAR_CHECK(check_private(fd.number(), path));
    return Dir{path, std::move(fd)};
}

Result<Dir> make_private_dir(std::filesystem::path const& path) {
    if (::mkdir(path.c_str(), 0700) == 0) {
        Fd const parent(::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!parent || ::fsync(parent.number()) != 0) return io_error(path, "cannot be written to the disk");
    } else if (errno != EEXIST) {
        return io_error(path, "cannot be made");
    }
    return open_private_dir(path);
}

Result<std::string> read_file(Dir const& dir, std::string const& name, std::size_t limit) {
    auto const path = dir.path / name;
    Fd const fd(::openat(dir.fd.number(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd) return absent_or_io(path, "cannot be opened");
    struct stat status {};
    if (::fstat(fd.number(), &status) != 0) return io_error(path, "cannot be examined");
    if (!S_ISREG(status.st_mode)) return fail(Errc::io, path.string() + " is not a regular file");

    // One byte more than it should be, so that a longer file is seen as one.
    std::string content(std::min(limit, static_cast<std::size_t>(status.st_size)) + 1, '\0');
    std::size_t size = 0;
    while (size < content.size()) {
        auto const got = ::read(fd.number(), content.data() + size, content.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return io_error(path, "cannot be read");
        if (got == 0) break;
        size += static_cast<std::size_t>(got);
    }
    if (size == content.size()) return fail(Errc::io, path.string() + " is longer than it may be");
    content.resize(size);
    return content;
}

Result<void> write_file(Dir const& dir, std::string const& name, std::string_view content) {
    auto const path = dir.path / name;
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
    Fd const fd(::openat(dir.fd.number(), name.c_str(), flags, 0600));
    if (!fd || ::fchmod(fd.number(), 0600) != 0) return io_error(path, "cannot be made");
    PFAR_CHECK(write_all(fd.number(), content, path));
    if (::fsync(fd.number()) != 0) return io_error(path, "cannot be written to the disk");
    return {};
}

Result<void> replace_file(Dir const& dir, std::string const& name, std::string_view content) {
    auto const at = dir.fd.number();
    if (auto written = write_file(dir, fresh, content); !written) {
        ::unlinkat(at, fresh, 0); // a full disk should not stay fuller
        return std::move(written).error();
    }
    if (::renameat(at, fresh, at, name.c_str()) != 0) return io_error(dir.path / name, "cannot be replaced");
    return sync_dir(dir);
}

Result<void> remove_file(Dir const& dir, std::string const& name) {
    if (::unlinkat(dir.fd.number(), name.c_str(), 0) != 0) return absent_or_io(dir.path / name, "cannot be removed");
    return sync_dir(dir);
}

Result<void> sync_dir(Dir const& dir) {
    if (::fsync(dir.fd.number()) != 0) return io_error(dir.path, "cannot be written to the disk");
    return {};
}

bool has_file(Dir const& dir, std::string const& name) {
    return ::faccessat(dir.fd.number(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

Result<std::vector<std::string>> names_in(Dir const& dir) {
    Fd again(::openat(dir.fd.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)); // a position of its own
    std::unique_ptr<DIR, int (*)(DIR*)> const stream(again ? ::fdopendir(again.number()) : nullptr, &::closedir);
    if (!stream) return io_error(dir.path, "cannot be listed");
    (void)again.release(); // the stream's now
    std::vector<std::string> names;
    while (auto const* const found = ::readdir(stream.get())) names.emplace_back(found->d_name);
    return names;
}

Result<Fd> lock_dir(Dir const& dir) {
    using namespace std::chrono_literals;
    auto const path = dir.path / "lock";
    Fd fd(::openat(dir.fd.number(), "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return io_error(path, "cannot be opened");
    for (auto const end = std::chrono::steady_clock::now() + 5s; ::flock(fd.number(), LOCK_EX | LOCK_NB) != 0;) {
        if (errno != EWOULDBLOCK && errno != EINTR) return io_error(path, "cannot be locked");
        if (std::chrono::steady_clock::now() > end)
            return fail(Errc::unavailable, path.string() + " is held by another process; try again when it is done");
        std::this_thread::sleep_for(10ms);
    }
    return fd;
}

} // namespace pfar::vault_file
