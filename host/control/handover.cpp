#include "control/handover.hpp"

#include "base/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

namespace pfar::control {
namespace {

constexpr std::size_t all = SSIZE_MAX;

bool is_stream_socket(int fd) {
    int type = 0;
    socklen_t size = sizeof type;
    return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

/// It was given to us for this. Whoever holds a pipe's wrong end could open the other one.
bool goes(int fd, Direction direction) {
    int const flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_PATH) != 0) return false;
    int const mode = flags & O_ACCMODE;
    return mode == O_RDWR || mode == (direction == Direction::in ? O_RDONLY : O_WRONLY);
}

base::Fd copy_of(int fd) {
    return base::Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

/// With flags of its own. Empty where that is not allowed, such as a pipe of another user's.
base::Fd opened_anew(int fd, Direction direction) {
    int const mode = direction == Direction::in ? O_RDONLY : O_WRONLY;
    return base::Fd(::open(fmt::format("/proc/self/fd/{}", fd).c_str(), mode | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

/// Our end of what strangers have. A terminal can be opened anew too, and then never makes us wait.
base::Fd shared_end(int fd, Direction direction) {
    auto anew = ::isatty(fd) == 1 ? opened_anew(fd, direction) : base::Fd();
    return anew ? std::move(anew) : copy_of(fd);
}

/// A pipe with nobody at its other end: for an input that cannot be read, which is one that has ended.
Result<Handover> nothing() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return fail(Errc::io, fmt::format("no pipe can be made: {}", base::errno_text(errno)));
    base::Fd const writer(ends[1]);
    return Handover{base::Fd(ends[0])};
}

Result<Handover> relayed(int fd, Direction direction, bool is_file) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return fail(Errc::io, fmt::format("no pipe can be made: {}", base::errno_text(errno)));
    base::Fd out(ends[0]), in(ends[1]);
    auto shared = shared_end(fd, direction);
    if (!shared) return fail(Errc::io, fmt::format("no descriptor can be made: {}", base::errno_text(errno)));
    Handover handover;
    handover.given = std::move(direction == Direction::in ? out : in);
    if (direction == Direction::in)
        handover.relay.emplace(std::move(shared), std::move(in), all);
    else
        handover.relay.emplace(std::move(out), std::move(shared), is_file ? all : std::size_t{PIPE_BUF});
    return handover;
}

} // namespace

Result<Handover> hand_over(int fd, Direction direction) {
    struct stat status {};
    if (::fstat(fd, &status) != 0)
        return fail(Errc::io, fmt::format("descriptor {} cannot be used: {}", fd, base::errno_text(errno)));
    if (!goes(fd, direction))
        return direction == Direction::in ? nothing()
                                          : fail(Errc::io, fmt::format("descriptor {} cannot be written to", fd));
    Handover handover;
    if (S_ISFIFO(status.st_mode)) handover.given = opened_anew(fd, direction);
    if (S_ISSOCK(status.st_mode) && is_stream_socket(fd)) handover.given = copy_of(fd);
    if (handover.given) return handover;
    return relayed(fd, direction, S_ISREG(status.st_mode));
}

} // namespace pfar::control
