// The least that a CONNECT proxy can do: two connections, one exchange, and as few system calls as that takes. It judges nothing, watches no
// clock and trusts its client; what a real proxy is slower than this is what its own work costs.
#include "egress.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace bench {

namespace {

constexpr std::string_view established = "HTTP/1.1 200 Connection established\r\n\r\n";

class Relay {
public:
    Relay() { watch(listener_, EPOLLIN); }

    [[noreturn]] void run() {
        std::array<epoll_event, 256> events{};
        for (;;) {
            auto const count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
            for (int i = 0; i < count; ++i) {
                auto const fd = events[i].data.fd;
                if (fd == listener_)
                    accept_all();
                else
                    go_on(fd, events[i].events);
            }
        }
    }

private:
    enum class Step { none, greeting, dialling, relaying };
    struct End {
        int peer = -1;
        Step step = Step::none;
        bool over = false;   // it has sent its last byte
        std::string pending; // for it, but it would not take it yet
    };

    void watch(int fd, std::uint32_t what) const {
        epoll_event event{};
        event.events = what;
        event.data.fd = fd;
        must(::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
    }

    void add(int fd, int peer, Step step) {
        ends_.resize(std::max<std::size_t>(ends_.size(), fd + 1U));
        ends_[fd] = {peer, step, false, ""};
        watch(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
    }

    void accept_all() {
        for (;;) {
            auto const fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (fd < 0) return;
            add(fd, -1, Step::greeting);
        }
    }

    void go_on(int fd, std::uint32_t what) {
        bool const readable = (what & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
        bool const writable = (what & EPOLLOUT) != 0;
        auto& end = ends_[fd];
        if (end.step == Step::greeting && end.peer < 0 && readable) return dial(fd);
        if (end.step == Step::dialling && writable) return greet(fd);
        if (end.step != Step::relaying) return;
        if (writable && !end.pending.empty()) flush(fd);
        if (readable && ends_[fd].step == Step::relaying) move(fd);
    }

    void dial(int client) {
        std::array<char, 4096> head;
        auto const size = ::recv(client, head.data(), head.size(), 0);
        if (size < 0 && errno == EAGAIN) return;
        if (size <= 8) return drop(client);
        std::string_view const text(head.data(), static_cast<std::size_t>(size));
        auto const target = endpoint(std::string(text.substr(8, text.find(' ', 8) - 8)));
        auto const fd = must(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
        int const on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        ::connect(fd, reinterpret_cast<sockaddr const*>(&target), sizeof target);
        add(fd, client, Step::dialling);
        ends_[client].peer = fd;
    }

    void greet(int upstream) {
        auto const client = ends_[upstream].peer;
        ends_[upstream].step = ends_[client].step = Step::relaying;
        ::send(client, established.data(), established.size(), MSG_NOSIGNAL);
    }

    void move(int from) {
        auto const to = ends_[from].peer;
        while (ends_[to].pending.empty()) {
            auto const size = ::recv(from, chunk_.get(), chunk_bytes, 0);
            if (size < 0 && errno == EAGAIN) return;
            if (size < 0) return drop(from);
            if (size == 0) return end(from);
            auto const sent =
                std::max<ssize_t>(::send(to, chunk_.get(), static_cast<std::size_t>(size), MSG_NOSIGNAL), 0);
            ends_[to].pending.assign(chunk_.get() + sent, static_cast<std::size_t>(size - sent));
            if (size < static_cast<ssize_t>(chunk_bytes) && sent == size) return; // there is no more
        }
    }

    void flush(int to) {
        auto& pending = ends_[to].pending;
        auto const sent = ::send(to, pending.data(), pending.size(), MSG_NOSIGNAL);
        if (sent > 0) pending.erase(0, static_cast<std::size_t>(sent));
        if (pending.empty()) move(ends_[to].peer);
    }

    void end(int from) {
        auto const to = ends_[from].peer;
        if (ends_[to].over) return drop(from);
        ends_[from].over = true;
        ::shutdown(to, SHUT_WR);
    }

    void drop(int fd) {
        auto const peer = std::exchange(ends_[fd], {}).peer;
        ::close(fd);
        if (peer < 0) return;
        ends_[peer] = {};
        ::close(peer);
    }

    int const epoll_ = must(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    int const listener_ = listen_somewhere();
    std::unique_ptr<char[]> const chunk_ = std::make_unique<char[]>(chunk_bytes);
    std::vector<End> ends_; // by descriptor
};

} // namespace

int relay() {
    Relay().run();
}

} // namespace bench
