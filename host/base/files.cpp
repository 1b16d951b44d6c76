// One open per file: what is checked (a regular file, its size) is what is read.
#include "base/files.hpp"

#include "base/text.hpp"

#include "base/fd.hpp"

#include <fmt/format.h>

#include <fcntl.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <vector>

namespace pfar::base {
namespace {

Error io_error(std::filesystem::path const& path, char const* what) {
    auto const error = errno;
    auto const code = error == ENOENT ? Errc::not_found : error == EACCES || error == EPERM ? Errc::refused : Errc::io;
    return fail(code, fmt::format("{} could not be {}: {}", printable(path.native()), what, errno_text(error)));
}

Result<std::string> read_all(int fd, std::filesystem::path const& path, std::size_t limit) {
    std::string content;
    char buffer[65536];
    for (;;) {
        auto const got = ::read(fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return io_error(path, "read");
        if (got == 0) return content;
        content.append(buffer, static_cast<std::size_t>(got));
        if (content.size() > limit)
            return fail(Errc::invalid, fmt::format("{} is larger than {} KiB", printable(path.native()), limit / 1024));
    }
}

Result<void> write_all(int fd, std::filesystem::path const& path, std::string_view content) {
    while (!content.empty()) {
        auto const put = ::write(fd, content.data(), content.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return io_error(path, "written");
        content.remove_prefix(static_cast<std::size_t>(put));
    }
    if (::fsync(fd) != 0) return io_error(path, "written");
    return {};
}

/// By the directory itself: its name may be another's by now.
void open_up(std::filesystem::path const& top) {
    std::vector<std::filesystem::path> open{top};
    while (!open.empty()) {
        auto const next = std::move(open.back());
        open.pop_back();
        Fd const directory{::open(next.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
        if (!directory) continue;
        auto const itself = fmt::format("/proc/self/fd/{}", directory.number());
        ::chmod(itself.c_str(), 0700);
        std::error_code error;
        for (std::filesystem::directory_iterator at(itself, error), end; !error && at != end; at.increment(error))
            if (std::error_code gone; at->symlink_status(gone).type() == std::filesystem::file_type::directory)
                open.push_back(next / at->path().filename());
    }
}

} // namespace

std::error_code remove_tree(std::filesystem::path const& path) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (!error) return error;
    open_up(path);
    std::filesystem::remove_all(path, error);
    return error;
}

std::string errno_text(int error) {
    return std::generic_category().message(error);
}

Result<std::string> read_file(std::filesystem::path const& path, std::size_t limit) {
    Fd const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (!file) return io_error(path, "read");
    struct stat status {};
    if (::fstat(file.number(), &status) != 0) return io_error(path, "read");
    if (!S_ISREG(status.st_mode))
        return fail(Errc::invalid, fmt::format("{} is not a regular file", printable(path.native())));
    return read_all(file.number(), path, limit);
}

Result<void> write_file(std::filesystem::path const& path, std::string_view content, mode_t mode) {
    auto const directory = path.parent_path();
    auto const temporary = directory / ("." + path.filename().native() + ".new");
    ::unlink(temporary.c_str()); // what a writer that was killed has left
    Fd const file{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (!file) return io_error(path, "written");

    auto written = write_all(file.number(), path, content);
    if (written && ::fchmod(file.number(), mode) != 0) written = io_error(path, "written");
    if (written && ::rename(temporary.c_str(), path.c_str()) != 0) written = io_error(path, "written");
    if (!written) {
        ::unlink(temporary.c_str());
        return written;
    }
    Fd const parent{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!parent || ::fsync(parent.number()) != 0) return io_error(directory, "synced");
    return {};
}

} // namespace pfar::base
