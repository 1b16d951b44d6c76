// sock_diag lists the sockets of the namespace it was opened in. What is sent and not yet received counts with the sender, or, if that one has
// been closed, with the receiver's queue; a queue of tiny messages is larger than it looks.
#include "shim/socket_memory.hpp"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>

namespace pfar::shim {
namespace {

constexpr std::uint32_t tiny_queue = 64U << 10U;

template <class T> struct Request {
    nlmsghdr head;
    T body;
};

template <class T> bool ask(int monitor, T const& body) {
    Request<T> request{};
    request.head.nlmsg_len = sizeof request, request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.body = body;
    return ::send(monitor, &request, sizeof request, 0) == sizeof request;
}

std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
    return a > b ? a : b;
}

std::uint64_t buffers(rtattr const* attribute) {
    std::uint32_t memory[SK_MEMINFO_VARS]{};
    auto const size = RTA_PAYLOAD(attribute);
    std::memcpy(memory, RTA_DATA(attribute), size < sizeof memory ? size : sizeof memory);
    return memory[SK_MEMINFO_RMEM_ALLOC] + larger(memory[SK_MEMINFO_WMEM_ALLOC], memory[SK_MEMINFO_WMEM_QUEUED]);
}

std::uint64_t queue(rtattr const* attribute) {
    unix_diag_rqlen length{};
    if (RTA_PAYLOAD(attribute) >= sizeof length) std::memcpy(&length, RTA_DATA(attribute), sizeof length);
    return length.udiag_rqueue == 0 ? 0 : larger(length.udiag_rqueue, tiny_queue);
}

std::uint64_t attributes_of(nlmsghdr const* message, std::size_t head, int memory, int length) {
    std::uint64_t sum = 0;
    auto left = static_cast<int>(message->nlmsg_len) - static_cast<int>(NLMSG_LENGTH(head));
    auto const* attribute =
        reinterpret_cast<rtattr const*>(reinterpret_cast<char const*>(message) + NLMSG_LENGTH(NLMSG_ALIGN(head)));
    for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
        if (attribute->rta_type == memory) sum += buffers(attribute);
        if (attribute->rta_type == length) sum += queue(attribute);
    }
    return sum;
}

/// All answers to one question.
std::uint64_t collect(int monitor, std::size_t head, int memory, int length) {
    alignas(nlmsghdr) static char buffer[32U << 10U];
    std::uint64_t sum = 0;
    for (;;) {
        auto got = ::recv(monitor, buffer, sizeof buffer, 0);
        if (got <= 0) return sum;
        for (auto const* message = reinterpret_cast<nlmsghdr const*>(buffer); NLMSG_OK(message, got);
             message = NLMSG_NEXT(message, got)) {
            if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR) return sum;
            sum += attributes_of(message, head, memory, length);
        }
    }
}

std::uint64_t internet(int monitor, int family, int protocol) {
    inet_diag_req_v2 question{};
    question.sdiag_family = static_cast<std::uint8_t>(family),
    question.sdiag_protocol = static_cast<std::uint8_t>(protocol), question.idiag_states = ~0U;
    question.idiag_ext = 1U << (INET_DIAG_SKMEMINFO - 1U);
    return ask(monitor, question) ? collect(monitor, sizeof(inet_diag_msg), INET_DIAG_SKMEMINFO, -1) : 0;
}

} // namespace

int open_socket_monitor() {
    int const monitor = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    timeval const patience{1, 0}; // a kernel that does not answer is not waited for
    if (monitor >= 0) ::setsockopt(monitor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return monitor;
}

std::uint64_t socket_memory(int monitor) {
    if (monitor < 0) return 0;
    unix_diag_req question{};
    question.sdiag_family = AF_UNIX, question.udiag_states = ~0U;
    question.udiag_show = UDIAG_SHOW_MEMINFO | UDIAG_SHOW_RQLEN;
    std::uint64_t sum =
        ask(monitor, question) ? collect(monitor, sizeof(unix_diag_msg), UNIX_DIAG_MEMINFO, UNIX_DIAG_RQLEN) : 0;
    for (int const family : {AF_INET, AF_INET6})
        for (int const protocol : {IPPROTO_TCP, IPPROTO_UDP}) sum += internet(monitor, family, protocol);
    return sum;
}

} // namespace pfar::shim
