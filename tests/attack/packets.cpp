// Sockets below and beside the internet's: raw, packet, netlink, vsock and all the others.
#include "attack.hpp"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

namespace attack {
namespace {

constexpr char no_family[] = "EPERM,EACCES,EAFNOSUPPORT,EPROTONOSUPPORT";

Outcome opens(int family, int type, int protocol, char const* what) {
    int const fd = ::socket(family, type | SOCK_CLOEXEC, protocol);
    if (fd >= 0) ::close(fd);
    return judged(fd, what);
}

Outcome raw(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNET)) return untried("no namespaces");
    return opens(AF_INET, SOCK_RAW, IPPROTO_ICMP, "a raw socket");
}

Outcome raw6(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNET)) return untried("no namespaces");
    return opens(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6, "a raw IPv6 socket");
}

Outcome packet(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNET)) return untried("no namespaces");
    return opens(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL), "a packet socket");
}

Outcome vsock(Facts const&) {
    return opens(AF_VSOCK, SOCK_STREAM, 0, "a vsock socket");
}

/// Whatever else this kernel has: cryptography, buses, radio, clusters. Netlink and packets have rows of their own.
Outcome families(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNET)) return untried("no namespaces");
    int error = EAFNOSUPPORT;
    for (int family = 3; family < 64; ++family) {
        if (family == AF_INET6 || family == AF_NETLINK || family == AF_PACKET) continue;
        for (int const type : {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_RAW})
            if (int const fd = ::socket(family, type | SOCK_CLOEXEC, 0); fd >= 0)
                return success("family " + std::to_string(family));
            else if (errno != EAFNOSUPPORT)
                error = errno;
    }
    errno = error;
    return refused("any other family of sockets");
}

/// Sets lo up, as `ip link set lo up` does, and waits for the kernel's answer.
Outcome netlink_write(Facts const& facts) {
    if (!own_namespaces(facts, CLONE_NEWNET)) return untried("no namespaces");
    int const fd = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return refused("a netlink socket");
    struct {
        nlmsghdr header;
        ifinfomsg link;
    } request{};
    request.header = {sizeof request, RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK, 1, 0};
    request.link.ifi_index = 1;
    request.link.ifi_flags = IFF_UP;
    request.link.ifi_change = IFF_UP;
    if (::send(fd, &request, sizeof request, 0) < 0) return refused("a netlink write");
    struct {
        nlmsghdr header;
        nlmsgerr error;
        char more[256];
    } answer{};
    if (::recv(fd, &answer, sizeof answer, 0) < static_cast<ssize_t>(sizeof answer.header))
        return refused("netlink's answer");
    errno = -answer.error.error;
    return judged(answer.error.error, "a netlink write");
}

Outcome netlink_events(Facts const&) {
    return opens(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT, "a netlink socket of another kind");
}

} // namespace

Rows packet_rows() {
    return {
        {"raw", "network", "opens a raw socket", no_family, raw},
        {"raw6", "network", "opens a raw IPv6 socket", no_family, raw6},
        {"packet", "network", "opens a packet socket", no_family, packet},
        {"netlink-write", "network", "changes links by netlink", no_family, netlink_write},
        {"netlink-events", "network", "opens netlink for the kernel's events", no_family, netlink_events},
        {"vsock", "network", "opens a vsock socket", no_family, vsock},
        {"families", "network", "opens sockets of every other family", no_family, families},
    };
}

} // namespace attack
