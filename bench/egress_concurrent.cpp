// Many requests at once, each on a connection of its own: connect, ask the proxy, ask the server, hear the answer, close.
#include "egress.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace bench {

namespace {

class Crowd {
public:
    Crowd(Way const& way, int requests) : way_(way), to_begin_(requests), to_end_(requests) {}
    Crowd(Crowd const&) = delete;
    Crowd& operator=(Crowd const&) = delete;
    ~Crowd() { ::close(epoll_); }

    void run(int at_once) {
        for (int i = 0; i < at_once; ++i) begin();
        std::array<epoll_event, 256> events{};
        while (to_end_ > 0) {
            auto const count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 10'000);
            if (count <= 0) give_up("nothing came for ten seconds");
            for (int i = 0; i < count; ++i) go_on(events[i].data.fd, events[i].events);
        }
    }

private:
    enum class Step { connecting, greeting, answering };
    struct Request {
        Step step;
        std::size_t heard;
    };

    void begin() {
        if (to_begin_ == 0) return;
        --to_begin_;
        auto const fd = must(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
        int const on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (::connect(fd, reinterpret_cast<sockaddr const*>(&way_.dial), sizeof way_.dial) < 0 && errno != EINPROGRESS)
            give_up("connect");
        requests_.resize(std::max<std::size_t>(requests_.size(), fd + 1U));
        requests_[fd] = {Step::connecting, 0};
        epoll_event event{};
        event.events = EPOLLIN | EPOLLOUT | EPOLLET;
        event.data.fd = fd;
        must(::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
    }

    void go_on(int fd, std::uint32_t what) {
        auto& request = requests_[fd];
        if ((what & EPOLLOUT) != 0 && request.step == Step::connecting) {
            auto const proxied = !way_.greeting.empty();
            request.step = proxied ? Step::greeting : Step::answering;
            say(fd, proxied ? way_.greeting : question_);
        }
        if ((what & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) hear(fd, request);
    }

    void hear(int fd, Request& request) {
        std::array<char, 4096> bytes;
        auto const size = ::read(fd, bytes.data(), bytes.size());
        if (size < 0 && errno == EAGAIN) return;
        if (size <= 0) give_up("a request got no answer");
        std::string_view const text(bytes.data(), static_cast<std::size_t>(size));
        if (request.step == Step::greeting) {
            if (!text.substr(0, 12).ends_with(" 200")) give_up("the proxy refused");
            if (!text.ends_with("\r\n\r\n")) return; // the rest is on its way
            request.step = Step::answering;
            return say(fd, question_);
        }
        request.heard += text.size();
        if (request.heard < answer_bytes) return;
        ::close(fd);
        --to_end_;
        begin();
    }

    static void say(int fd, std::string_view text) {
        if (::send(fd, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) give_up("send");
    }

    Way const& way_;
    int to_begin_, to_end_;
    int const epoll_ = must(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    std::string const question_ = std::string(request_bytes, 'r');
    std::vector<Request> requests_; // by descriptor
};

} // namespace

double concurrent(Way const& way, int requests, int at_once) {
    auto const start = now();
    Crowd(way, requests).run(at_once);
    return now() - start;
}

} // namespace bench
