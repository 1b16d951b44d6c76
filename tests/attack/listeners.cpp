// The scene's sockets: internet and Unix, paths and abstract names. Whoever connects gets the secret, as a proof for the attack.
#include "scene.hpp"

#include <cstdio>
#include <cstring>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace attack {
namespace {

/// Bound to a free port of the loopback; -1 if that cannot be had.
int internet(int family, int type, int protocol, std::string& port) {
    int const fd = ::socket(family, type | SOCK_CLOEXEC, protocol);
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_addr = in6addr_loopback;
    auto* const address = family == AF_INET ? reinterpret_cast<sockaddr*>(&v4) : reinterpret_cast<sockaddr*>(&v6);
    socklen_t size = family == AF_INET ? sizeof v4 : sizeof v6;
    if (fd < 0 || ::bind(fd, address, size) != 0 || (type == SOCK_STREAM && ::listen(fd, 16) != 0)) {
        ::close(fd);
        return -1;
    }
    ::getsockname(fd, address, &size);
    port = std::to_string(ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port));
    return fd;
}

/// `name` is a path, or an abstract name if it begins with @.
int local(std::string const& name, int type) {
    int const fd = ::socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (name.size() >= sizeof address.sun_path) return -1;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    auto const size = static_cast<socklen_t>(sizeof(sa_family_t) + name.size() + (name[0] == '@' ? 0 : 1));
    if (::bind(fd, reinterpret_cast<sockaddr const*>(&address), size) != 0) std::perror(name.c_str());
    if (type == SOCK_STREAM) ::listen(fd, 16);
    return fd;
}

void keep(std::vector<int>& list, int fd) {
    if (fd >= 0) list.push_back(fd);
}

} // namespace

Facts Listeners::open(std::string const& directory, std::string const& secret) {
    secret_ = secret;
    Facts facts;
    keep(streams_, internet(AF_INET, SOCK_STREAM, 0, facts["tcp4"]));
    keep(streams_, internet(AF_INET6, SOCK_STREAM, 0, facts["tcp6"]));
    keep(datagrams_, internet(AF_INET, SOCK_DGRAM, 0, facts["udp4"]));
    keep(datagrams_, internet(AF_INET6, SOCK_DGRAM, 0, facts["udp6"]));
    ::mkdir((directory + "/run").c_str(), 0700);
    facts["control_socket"] = directory + "/pfar-home/run/pfar.sock";
    facts["bus_socket"] = directory + "/run/bus";
    facts["docker_socket"] = directory + "/run/docker.sock";
    facts["agent_socket"] = directory + "/run/agent.sock";
    for (char const* const key : {"control_socket", "bus_socket", "docker_socket", "agent_socket"})
        keep(streams_, local(facts[key], SOCK_STREAM));
    facts["log_socket"] = directory + "/run/log";
    keep(silent_, local(facts["log_socket"], SOCK_DGRAM));
    facts["abstract_stream"] = "pfar-attack-stream-" + digest(secret);
    facts["abstract_datagram"] = "pfar-attack-datagram-" + digest(secret);
    keep(streams_, local("@" + facts["abstract_stream"], SOCK_STREAM));
    keep(silent_, local("@" + facts["abstract_datagram"], SOCK_DGRAM));
    return facts;
}

void Listeners::answer(int fd) const {
    int const client = ::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    ::send(client, secret_.data(), secret_.size(), MSG_NOSIGNAL);
    ::shutdown(client, SHUT_WR);
    ::close(client);
}

void Listeners::serve(int until) {
    std::vector<pollfd> polled{{until, POLLIN, 0}};
    for (auto const* const list : {&streams_, &datagrams_, &silent_})
        for (int const fd : *list) polled.push_back({fd, POLLIN, 0});
    while (::poll(polled.data(), polled.size(), -1) >= 0 || errno == EINTR) {
        if (polled[0].revents != 0) return;
        for (std::size_t i = 1; i < polled.size(); ++i) {
            if (polled[i].revents == 0) continue;
            if (i <= streams_.size()) {
                answer(polled[i].fd);
                continue;
            }
            char text[64];
            sockaddr_storage from{};
            socklen_t size = sizeof from;
            bool const got = ::recvfrom(polled[i].fd, text, sizeof text, MSG_DONTWAIT,
                                        reinterpret_cast<sockaddr*>(&from), &size) >= 0;
            if (got && i <= streams_.size() + datagrams_.size())
                ::sendto(polled[i].fd, secret_.data(), secret_.size(), MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from),
                         size);
        }
    }
}

} // namespace attack
