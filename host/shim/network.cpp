// The route `local 0.0.0.0/0 dev lo` makes every IPv4 address our own, so that a connection to anywhere arrives at a listener.
#include "shim/network.hpp"

#include "shim/report.hpp"

#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pfar::shim {
namespace {

enum Role : unsigned { proxy, tls, http, port, dns_udp, dns_tcp }; // EgressListener::Role

void bring_up_loopback() {
    int const any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    bool up = any >= 0 && ::ioctl(any, SIOCGIFFLAGS, &request) == 0;
    if (up && (request.ifr_flags & IFF_UP) == 0) {
        request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
        up = ::ioctl(any, SIOCSIFFLAGS, &request) == 0;
    }
    must(up, ShimStage::loopback);
    ::close(any);
}

struct RouteRequest {
    nlmsghdr head;
    rtmsg route;
    rtattr device_head;
    std::uint32_t device;
};

bool acknowledged(int netlink) {
    struct {
        nlmsghdr head;
        nlmsgerr error;
        char rest[256];
    } answer{};
    auto const got = ::recv(netlink, &answer, sizeof answer, 0);
    if (got < static_cast<ssize_t>(sizeof(nlmsghdr) + sizeof(int)) || answer.head.nlmsg_type != NLMSG_ERROR)
        return false;
    errno = -answer.error.error;
    return answer.error.error == 0;
}

bool route_everything_here() {
    RouteRequest request{};
    request.head.nlmsg_len = sizeof request, request.head.nlmsg_type = RTM_NEWROUTE;
    request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE;
    request.route.rtm_family = AF_INET, request.route.rtm_table = RT_TABLE_LOCAL,
    request.route.rtm_protocol = RTPROT_STATIC;
    request.route.rtm_scope = RT_SCOPE_HOST, request.route.rtm_type = RTN_LOCAL;
    request.device_head.rta_len = RTA_LENGTH(sizeof request.device), request.device_head.rta_type = RTA_OIF;
    request.device = ::if_nametoindex("lo");
    int const netlink = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    bool const done =
        netlink >= 0 && ::send(netlink, &request, sizeof request, 0) == sizeof request && acknowledged(netlink);
    int const error = errno;
    if (netlink >= 0) ::close(netlink);
    errno = error;
    return done;
}

void open_listener(Listener const& listener) {
    bool const datagrams = listener.role == dns_udp;
    bool const everywhere = listener.role == tls || listener.role == http || listener.role == port;
    int const made = ::socket(AF_INET, (datagrams ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET, address.sin_port = htons(listener.port);
    address.sin_addr.s_addr = htonl(everywhere ? INADDR_ANY : INADDR_LOOPBACK);
    must(made >= 0 && ::bind(made, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
             (datagrams || ::listen(made, SOMAXCONN) == 0),
         ShimStage::listener);
    tell(ShimNoteKind::listener, static_cast<std::int32_t>(listener.role << 16U | listener.port), made);
    ::close(made);
}

} // namespace

void open_listeners(Orders const& orders) {
    if (orders.listeners.count == 0) return;
    bring_up_loopback();
    bool const wanted = (orders.flags & shim_flag_routes) != 0;
    bool const routed = wanted && route_everything_here();
    if (wanted && !routed) tell(ShimNoteKind::no_routes, errno);
    for (auto const& listener : orders.listeners)
        if (listener.role == proxy || routed) open_listener(listener);
}

} // namespace pfar::shim
