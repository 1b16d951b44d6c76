// Input is watched all the time. Output only while somebody waits for room: otherwise each line that the far side takes would wake us.
#include "wire/end.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>

namespace pfar::wire {
namespace {

bool is_a_socket(base::Fd const& fd) {
    struct stat info {};
    return ::fstat(fd.number(), &info) == 0 && S_ISSOCK(info.st_mode);
}

bool blocks(base::Fd const& fd) {
    return (::fcntl(fd.number(), F_GETFL) & O_NONBLOCK) == 0;
}

/// Readable when the socket is ready. Empty if the machine has none left.
base::Fd watch_on(base::Fd const& socket, Way way) {
    base::Fd watch(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event event{};
    event.events = way == Way::in ? EPOLLIN : EPOLLONESHOT;
    if (!watch || ::epoll_ctl(watch.number(), EPOLL_CTL_ADD, socket.number(), &event) != 0) return {};
    return watch;
}

} // namespace

End::End(boost::asio::any_io_executor const& executor, base::Fd fd, Way way)
    : waited_(executor), way_(way), is_socket_(is_a_socket(fd)), number_(fd.number()) {
    auto watch = is_socket_ && blocks(fd) ? watch_on(fd, way) : base::Fd();
    if (watch) watched_ = std::move(fd);
    waited_.assign(watched_ ? watch.release() : fd.release());
}

void End::watch_once() {
    epoll_event event{};
    event.events = EPOLLOUT | EPOLLONESHOT;
    ::epoll_ctl(waited_.native_handle(), EPOLL_CTL_MOD, number_, &event);
}

void End::close() {
    boost::system::error_code ignored;
    waited_.close(ignored);
    watched_ = base::Fd();
    number_ = -1;
}

} // namespace pfar::wire
