// Reaching the host's network: each listener of the scene answers with the secret, so that nothing inside can be mistaken for it.
#include "attack.hpp"

#include <cstdio>
#include <cstring>

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

namespace attack {
namespace {

constexpr char unreachable[] = "ECONNREFUSED,ENETUNREACH,EHOSTUNREACH,EADDRNOTAVAIL,EACCES,EPERM,EAFNOSUPPORT";
constexpr char no_fast_open[] = "EPERM,EACCES,EOPNOTSUPP,ENOSYS,EAFNOSUPPORT";

struct Address {
    sockaddr_storage storage{};
    socklen_t size = 0;
    sockaddr const* get() const { return reinterpret_cast<sockaddr const*>(&storage); }
};

Address v4(char const* host, long port) {
    Address out;
    auto* const address = reinterpret_cast<sockaddr_in*>(&out.storage);
    address->sin_family = AF_INET;
    address->sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, host, &address->sin_addr);
    out.size = sizeof *address;
    return out;
}

Address v6(char const* host, long port) {
    Address out;
    auto* const address = reinterpret_cast<sockaddr_in6*>(&out.storage);
    address->sin6_family = AF_INET6;
    address->sin6_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET6, host, &address->sin6_addr);
    out.size = sizeof *address;
    return out;
}

/// A socket that gives up after a second.
int open_socket(int family, int type, int protocol) {
    int const fd = ::socket(family, type | SOCK_CLOEXEC, protocol);
    if (fd < 0) return fd;
    timeval const patience{1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return fd;
}

Outcome answered(Facts const& facts, int fd, char const* what) {
    char text[64] = {};
    errno = ENODATA;
    if (::recv(fd, text, sizeof text - 1, 0) > 0 && has_secret(facts, text)) return success(what);
    return refused(what);
}

Outcome connects(Facts const& facts, int fd, Address const& to, char const* what) {
    if (fd < 0 || ::connect(fd, to.get(), to.size) != 0) return refused(what);
    return answered(facts, fd, what);
}

Outcome tcp(Facts const& facts) {
    return connects(facts, open_socket(AF_INET, SOCK_STREAM, 0), v4("127.0.0.1", number(facts, "tcp4")), "TCP");
}

Outcome tcp_any(Facts const& facts) {
    return connects(facts, open_socket(AF_INET, SOCK_STREAM, 0), v4("0.0.0.0", number(facts, "tcp4")),
                    "TCP to 0.0.0.0");
}

Outcome tcp6(Facts const& facts) {
    if (fact(facts, "tcp6").empty()) return untried("this machine has no IPv6");
    return connects(facts, open_socket(AF_INET6, SOCK_STREAM, 0), v6("::1", number(facts, "tcp6")), "TCP over IPv6");
}

Outcome tcp_mapped(Facts const& facts) {
    return connects(facts, open_socket(AF_INET6, SOCK_STREAM, 0), v6("::ffff:127.0.0.1", number(facts, "tcp4")),
                    "TCP to a mapped address");
}

Outcome mptcp(Facts const& facts) {
    return connects(facts, open_socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP), v4("127.0.0.1", number(facts, "tcp4")),
                    "MPTCP");
}

Outcome udp_asks(Facts const& facts, int fd, Address const& to, char const* what) {
    if (fd < 0 || ::connect(fd, to.get(), to.size) != 0 || ::send(fd, "?", 1, 0) != 1) return refused(what);
    return answered(facts, fd, what);
}

Outcome udp(Facts const& facts) {
    return udp_asks(facts, open_socket(AF_INET, SOCK_DGRAM, 0), v4("127.0.0.1", number(facts, "udp4")), "UDP");
}

Outcome udp6(Facts const& facts) {
    if (fact(facts, "udp6").empty()) return untried("this machine has no IPv6");
    return udp_asks(facts, open_socket(AF_INET6, SOCK_DGRAM, 0), v6("::1", number(facts, "udp6")), "UDP over IPv6");
}

/// `send` sends with MSG_FASTOPEN, which connects without connect().
template <class Send> Outcome fast_open(Facts const& facts, char const* what, Send send) {
    int const fd = open_socket(AF_INET, SOCK_STREAM, 0);
    auto const to = v4("127.0.0.1", number(facts, "tcp4"));
    if (fd < 0 || send(fd, to) < 0) return refused(what);
    return answered(facts, fd, what);
}

msghdr message_to(Address const& to, iovec& data) {
    msghdr message{};
    message.msg_name = const_cast<sockaddr*>(to.get());
    message.msg_namelen = to.size;
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    return message;
}

char question[] = "?";

Outcome fast_open_sendto(Facts const& facts) {
    return fast_open(facts, "TCP Fast Open by sendto", [](int fd, Address const& to) {
        return ::sendto(fd, question, 1, MSG_FASTOPEN, to.get(), to.size);
    });
}

Outcome fast_open_sendmsg(Facts const& facts) {
    return fast_open(facts, "TCP Fast Open by sendmsg", [](int fd, Address const& to) {
        iovec data{question, 1};
        msghdr const message = message_to(to, data);
        return ::sendmsg(fd, &message, MSG_FASTOPEN);
    });
}

Outcome fast_open_sendmmsg(Facts const& facts) {
    return fast_open(facts, "TCP Fast Open by sendmmsg", [](int fd, Address const& to) {
        iovec data{question, 1};
        mmsghdr message{message_to(to, data), 0};
        return ::sendmmsg(fd, &message, 1, MSG_FASTOPEN);
    });
}

/// As an option of the socket: then connect() does nothing, and the first write connects.
Outcome fast_open_option(Facts const& facts) {
    int const on = 1, fd = open_socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || ::setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on) != 0)
        return refused("TCP_FASTOPEN_CONNECT");
    auto const to = v4("127.0.0.1", number(facts, "tcp4"));
    if (::connect(fd, to.get(), to.size) != 0 || ::send(fd, question, 1, 0) != 1)
        return refused("TCP Fast Open by option");
    return answered(facts, fd, "TCP Fast Open by option");
}

/// In a network namespace of its own: the cloud's address on lo, and a listener there.
bool imitate_metadata(Address const& address) {
    int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP;
    if (::ioctl(fd, SIOCSIFFLAGS, &request) != 0) return false;
    std::memcpy(&request.ifr_addr, &address.storage, sizeof request.ifr_addr);
    if (::ioctl(fd, SIOCSIFADDR, &request) != 0) return false;
    return ::bind(fd, address.get(), address.size) == 0 && ::listen(fd, 1) == 0;
}

Outcome metadata(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNET)) return untried("no namespaces");
    auto const address = v4("169.254.169.254", 80);
    if (is_control(facts) && !imitate_metadata(address)) return untried("the address could not be imitated");
    int const fd = open_socket(AF_INET, SOCK_STREAM, 0);
    return judged(fd < 0 ? fd : ::connect(fd, address.get(), address.size), "the cloud's metadata address");
}

Outcome connections(Facts const& facts) {
    char port[16];
    std::snprintf(port, sizeof port, ":%04lX ", number(facts, "tcp4"));
    if (slurp("/proc/net/tcp").find(port) != std::string::npos)
        return success("sees the host's listeners in /proc/net/tcp");
    auto const sockets = slurp("/proc/net/unix");
    if (sockets.find(fact(facts, "abstract_stream")) != std::string::npos)
        return success("sees the host's sockets in /proc/net/unix");
    errno = ENOENT;
    return refused("the host's sockets in /proc/net");
}

} // namespace

Rows network_rows() {
    return {
        {"tcp", "network", "connects to the host's loopback", unreachable, tcp},
        {"tcp-any", "network", "connects to 0.0.0.0", unreachable, tcp_any},
        {"tcp6", "network", "connects to the host's loopback over IPv6", unreachable, tcp6},
        {"tcp-mapped", "network", "connects to an IPv4 address mapped into IPv6", unreachable, tcp_mapped},
        {"mptcp", "network", "connects by MPTCP", "ECONNREFUSED,ENETUNREACH,EACCES,EPERM,EPROTONOSUPPORT,EAFNOSUPPORT",
         mptcp},
        {"tfo-sendto", "network", "connects by TCP Fast Open in sendto", no_fast_open, fast_open_sendto},
        {"tfo-sendmsg", "network", "connects by TCP Fast Open in sendmsg", no_fast_open, fast_open_sendmsg},
        {"tfo-sendmmsg", "network", "connects by TCP Fast Open in sendmmsg", no_fast_open, fast_open_sendmmsg},
        {"tfo-option", "network", "connects by TCP Fast Open as an option", no_fast_open, fast_open_option},
        {"udp", "network", "sends a datagram to the host's loopback", unreachable, udp},
        {"udp6", "network", "sends a datagram to the host's loopback over IPv6", unreachable, udp6},
        {"metadata", "network", "connects to the cloud's metadata address", unreachable, metadata},
        {"proc-net", "network", "lists the host's sockets", "ENOENT,EACCES", connections},
    };
}

} // namespace attack
