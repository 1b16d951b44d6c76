#include "unit/spawn/filtered.hpp"

#include <catch2/catch_test_macros.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

using namespace pfar;
using test::check_allowed;
using test::check_refused;
using test::filter;
using test::raw;

namespace {

int open_socket(int family, int type, int protocol = 0) {
    return raw(SYS_socket, family, type, protocol);
}

int pair_of(int family, int type) {
    int ends[2];
    return raw(SYS_socketpair, family, type, 0, ends);
}

} // namespace

TEST_CASE("sockets are local or of the internet, whatever is in the upper half of the register") {
    for (int family = 0; family < 64; ++family) {
        INFO(family);
        bool const allowed = family == AF_UNIX || family == AF_INET || family == AF_INET6;
        auto const attempt = [&] { return open_socket(family, SOCK_STREAM | SOCK_CLOEXEC); };
        CHECK(test::under(filter(), attempt) == (allowed ? test::in_child(attempt) : EAFNOSUPPORT));
    }
    check_refused("netlink", EAFNOSUPPORT, [] { return open_socket(AF_NETLINK, SOCK_DGRAM); });
    check_refused("vsock", EAFNOSUPPORT, [] { return open_socket(AF_VSOCK, SOCK_STREAM); });
    check_refused("packet", EAFNOSUPPORT, [] { return open_socket(AF_PACKET, SOCK_DGRAM); });
    check_refused("netlink, disguised", EAFNOSUPPORT, [] { return raw(SYS_socket, 0x1'0000'0010L, SOCK_DGRAM, 0); });
    check_allowed("internet, upper half dirty", [] { return raw(SYS_socket, 0x7'0000'0002L, SOCK_DGRAM, 0); });
    check_refused("MPTCP", EPROTONOSUPPORT, [] { return open_socket(AF_INET, SOCK_STREAM, 262); });
    check_refused("MPTCP, disguised", EPROTONOSUPPORT,
                  [] { return raw(SYS_socket, AF_INET, SOCK_STREAM, 0x1'0000'0106L); });
    CHECK(test::under(filter(), [] { return open_socket(AF_INET, SOCK_STREAM, 256); }) == EPROTONOSUPPORT);
    for (int const type : {SOCK_RAW | 0, SOCK_PACKET | 0, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK})
        CHECK(test::under(filter(), [&] { return open_socket(AF_INET, type, IPPROTO_ICMP); }) == EPERM);
    if (::geteuid() == 0) check_refused("raw", EPERM, [] { return open_socket(AF_INET, SOCK_RAW, IPPROTO_ICMP); });
    check_refused("raw local", EPERM, [] { return open_socket(AF_UNIX, SOCK_RAW); });
    for (int const type : {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET}) {
        CHECK(test::under(filter(), [&] { return open_socket(AF_UNIX, type); }) == 0);
        CHECK(test::under(filter(), [&] { return pair_of(AF_UNIX, type | SOCK_NONBLOCK); }) == 0);
    }
    for (int const protocol : {0, static_cast<int>(IPPROTO_TCP)})
        CHECK(test::under(filter(), [&] { return open_socket(AF_INET6, SOCK_STREAM, protocol); }) == 0);
    check_refused("a pair of another family", EAFNOSUPPORT, [] { return pair_of(AF_INET, SOCK_STREAM); });
}

TEST_CASE("where sockets are denied, only connected pairs are left") {
    spawn::FilterWishes const wishes{.deny_sockets = true};
    for (int const family : {AF_UNIX, AF_INET, AF_INET6})
        for (int const type : {SOCK_STREAM, SOCK_DGRAM})
            check_refused(
                "socket", EACCES, [&] { return open_socket(family, type); }, wishes);
    CHECK(test::under(filter(wishes), [] { return open_socket(AF_NETLINK, SOCK_RAW); }) == EACCES);
    for (int const type : {SOCK_DGRAM | 0, SOCK_DGRAM | SOCK_CLOEXEC, SOCK_RAW | 0})
        check_refused(
            "datagram pair", EACCES, [&] { return pair_of(AF_UNIX, type); }, wishes);
    for (int const type : {SOCK_STREAM | 0, SOCK_SEQPACKET | 0, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK})
        CHECK(test::under(filter(wishes), [&] { return pair_of(AF_UNIX, type); }) == 0);
    for (long const number : {SYS_connect, SYS_bind, SYS_listen})
        check_refused(
            "connect, bind, listen", EACCES, [&] { return raw(number, -1, -1L, -1); }, wishes);
}

TEST_CASE("TCP Fast Open is refused in every call that has it") {
    constexpr long fast_open = MSG_FASTOPEN;
    check_refused("sendto", EPERM, [] { return raw(SYS_sendto, -1, 0, 0, fast_open, 0, 0); });
    check_refused("sendto, with more", EPERM,
                  [] { return raw(SYS_sendto, -1, 0, 0, fast_open | MSG_NOSIGNAL | (1L << 40), 0, 0); });
    check_refused("sendmsg", EPERM, [] { return raw(SYS_sendmsg, -1, 0, fast_open); });
    check_refused("sendmmsg", EPERM, [] { return raw(SYS_sendmmsg, -1, 0, 0, fast_open); });
    auto const option = [](int name) {
        int const socket = ::socket(AF_INET, SOCK_STREAM, 0);
        int const on = 1;
        return raw(SYS_setsockopt, socket, IPPROTO_TCP, name, &on, sizeof on);
    };
    check_refused("TCP_FASTOPEN_CONNECT", EPERM, [&] { return option(30); });
    CHECK(test::under(filter(), [&] { return option(1); }) == 0); // TCP_NODELAY
    check_allowed("sendto", [] { return raw(SYS_sendto, -1, 0, 0, MSG_NOSIGNAL, 0, 0); });
}
