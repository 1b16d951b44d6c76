// The near end: the measurements that go one after the other, with blocking calls, and the loop that obeys orders.
#include "egress.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include <cerrno>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace bench {

namespace {

void send_all(int fd, std::string_view bytes) {
    if (::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) give_up("send");
}

// -1 if the proxy says no, or nothing.
int open_tunnel(Way const& way) {
    auto const fd = must(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    must(::connect(fd, reinterpret_cast<sockaddr const*>(&way.dial), sizeof way.dial), "connect");
    int const on = 1;
    timeval const patience{10, 0}; // a proxy that is out of something accepts no more and says nothing
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (way.greeting.empty()) return fd;
    send_all(fd, way.greeting);
    std::string answer;
    char bytes[4096];
    while (!answer.ends_with("\r\n\r\n")) {
        auto const size = ::read(fd, bytes, sizeof bytes);
        answer.append(bytes, size > 0 ? static_cast<std::size_t>(size) : 0);
        if (size > 0 && answer.substr(0, 12).ends_with(" 200")) continue;
        ::close(fd);
        return -1;
    }
    return fd;
}

int require_tunnel(Way const& way) {
    auto const fd = open_tunnel(way);
    if (fd < 0) give_up("the proxy refused");
    return fd;
}

void echo(int fd) {
    char byte = 'e';
    send_all(fd, {&byte, 1});
    if (::read(fd, &byte, 1) != 1) give_up("read");
}

void setup(Way const& way, int count) {
    std::printf("{\"microseconds\":[");
    for (int i = 0; i < count; ++i) {
        auto const start = now();
        auto const fd = require_tunnel(way);
        echo(fd);
        std::printf("%s%.1f", i == 0 ? "" : ",", (now() - start) * 1e6);
        ::close(fd);
    }
    std::printf("]}\n");
}

void bulk(Way const& way, std::uint64_t bytes) {
    auto const buffer = std::make_unique<char[]>(chunk_bytes);
    auto const fd = require_tunnel(way);
    char request[9] = {'s'};
    std::memcpy(&request[1], &bytes, sizeof bytes);
    auto const start = now();
    send_all(fd, {request, sizeof request});
    for (auto left = bytes; left > 0;) {
        auto const size = ::read(fd, buffer.get(), chunk_bytes);
        if (size <= 0) give_up("read");
        left -= static_cast<std::uint64_t>(size);
    }
    std::printf("{\"bytes\":%llu,\"seconds\":%.6f}\n", static_cast<unsigned long long>(bytes), now() - start);
    ::close(fd);
}

// Each has carried a byte, so that it is a tunnel and not a promise of one. Ends at the first that is refused.
std::vector<int> idle(Way const& way, int count) {
    std::vector<int> open;
    for (int i = 0; i < count; ++i) {
        auto const fd = open_tunnel(way);
        if (fd < 0) break;
        echo(fd);
        open.push_back(fd);
    }
    std::printf("{\"open\":%zu}\n", open.size());
    return open;
}

} // namespace

int obey(Way const& way) {
    std::vector<int> held;
    for (std::string line; std::getline(std::cin, line); std::fflush(stdout)) {
        std::istringstream words(line);
        std::string order;
        std::uint64_t count = 0;
        int at_once = 0;
        words >> order >> count >> at_once;
        auto const times = static_cast<int>(count);
        if (order == "setup") setup(way, times);
        if (order == "bulk") bulk(way, count);
        if (order == "idle") held = idle(way, times);
        if (order == "concurrent")
            std::printf("{\"requests\":%d,\"seconds\":%.6f}\n", times, concurrent(way, times, at_once));
        if (order == "drop") {
            for (auto const fd : std::exchange(held, {})) ::close(fd);
            std::printf("{}\n");
        }
    }
    return 0;
}

} // namespace bench
