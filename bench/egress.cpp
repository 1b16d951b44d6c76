// pfar-bench-egress: arguments, and what the server and the client share.
#include "egress.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace bench {

void give_up(std::string_view what) {
    std::fprintf(stderr, "pfar-bench-egress: %.*s: %s\n", static_cast<int>(what.size()), what.data(),
                 std::strerror(errno));
    std::exit(1);
}

int must(int result, std::string_view what) {
    if (result < 0) give_up(what);
    return result;
}

sockaddr_in endpoint(std::string const& text) {
    auto const colon = text.find(':');
    sockaddr_in address{};
    address.sin_family = AF_INET;
    if (colon == std::string::npos || ::inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr) != 1) {
        errno = EINVAL;
        give_up(text);
    }
    address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(text.c_str() + colon + 1)));
    return address;
}

int listen_somewhere() {
    auto const listener = must(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
    sockaddr_in address = endpoint("127.0.0.1:0");
    socklen_t size = sizeof address;
    int const on = 1;
    ::setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); // those that are accepted have it too
    must(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), "bind");
    must(::listen(listener, SOMAXCONN), "listen");
    must(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
    std::printf("%d\n", ntohs(address.sin_port));
    std::fflush(stdout);
    return listener;
}

double now() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

} // namespace bench

int main(int argc, char** argv) {
    std::vector<std::string> const words(argv + 1, argv + argc);
    if (words == std::vector<std::string>{"server"}) return bench::serve();
    if (words == std::vector<std::string>{"relay"}) return bench::relay();
    if (words.size() == 3 && words[0] == "client" && words[1] == "--direct")
        return bench::obey({bench::endpoint(words[2]), ""});
    if (words.size() == 4 && words[0] == "client" && words[1] == "--proxy") {
        auto const greeting = "CONNECT " + words[3] + " HTTP/1.1\r\nHost: " + words[3] + "\r\n\r\n";
        return bench::obey({bench::endpoint(words[2]), greeting});
    }
    std::fputs("pfar-bench-egress server|relay\n"
               "pfar-bench-egress client --direct TARGET\n"
               "pfar-bench-egress client --proxy HOST:PORT TARGET\n",
               stderr);
    return 64;
}
