// The far end: one thread, level-triggered epoll, and of each connection only how many bytes it is still owed.
#include "egress.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace bench {

namespace {

class Server {
public:
    Server() : chunk_(chunk_bytes, 'x') { watch(listener_, EPOLL_CTL_ADD, EPOLLIN); }

    [[noreturn]] void run() {
        std::array<epoll_event, 256> events{};
        for (;;) {
            auto const count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
            for (int i = 0; i < count; ++i) {
                auto const fd = events[i].data.fd;
                if (fd == listener_)
                    accept_all();
                else if (owed_[fd] > 0)
                    pay(fd);
                else
                    hear(fd);
            }
        }
    }

private:
    void watch(int fd, int operation, std::uint32_t what) const {
        epoll_event event{};
        event.events = what;
        event.data.fd = fd;
        must(::epoll_ctl(epoll_, operation, fd, &event), "epoll_ctl");
    }

    void accept_all() {
        for (;;) {
            auto const fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (fd < 0) return;
            owed_.resize(std::max<std::size_t>(owed_.size(), fd + 1U));
            owed_[fd] = 0;
            watch(fd, EPOLL_CTL_ADD, EPOLLIN);
        }
    }

    // A request fits into one segment and is written at once, so one read has all of it.
    void hear(int fd) {
        std::array<char, 4096> request;
        auto const size = ::read(fd, request.data(), request.size());
        if (size <= 0) {
            ::close(fd);
            return;
        }
        if (request[0] == 's' && size >= 9) {
            std::memcpy(&owed_[fd], &request[1], sizeof owed_[fd]);
            watch(fd, EPOLL_CTL_MOD, EPOLLOUT);
            return;
        }
        auto const answer = request[0] == 'r' ? answer_bytes : 1;
        if (::write(fd, chunk_.data(), answer) < 0) ::close(fd);
    }

    void pay(int fd) {
        auto const most = std::min<std::uint64_t>(owed_[fd], chunk_.size());
        auto const size = ::write(fd, chunk_.data(), most);
        if (size < 0 && errno == EAGAIN) return;
        if (size < 0) {
            ::close(fd);
            return;
        }
        owed_[fd] -= static_cast<std::uint64_t>(size);
        if (owed_[fd] == 0) watch(fd, EPOLL_CTL_MOD, EPOLLIN);
    }

    int const epoll_ = must(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    int const listener_ = listen_somewhere();
    std::string const chunk_;
    std::vector<std::uint64_t> owed_; // by descriptor
};

} // namespace

int serve() {
    Server().run();
}

} // namespace bench
