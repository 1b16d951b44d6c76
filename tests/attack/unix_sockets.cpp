// The host's Unix sockets, by path and by abstract name, by stream, datagram and from a socketpair: Landlock covers no path of these.
#include "attack.hpp"

#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace attack {
namespace {

constexpr char no_path[] = "ENOENT,EACCES,EPERM,EAFNOSUPPORT,ENOTDIR";
constexpr char no_name[] = "ECONNREFUSED,EACCES,EPERM,EAFNOSUPPORT";

struct Name {
    sockaddr_un address{};
    socklen_t size = 0;
    sockaddr const* get() const { return reinterpret_cast<sockaddr const*>(&address); }
};

Name by_path(std::string const& path) {
    Name out;
    out.address.sun_family = AF_UNIX;
    std::strncpy(out.address.sun_path, path.c_str(), sizeof out.address.sun_path - 1);
    out.size = sizeof out.address;
    return out;
}

Name abstract(std::string const& name) {
    Name out;
    out.address.sun_family = AF_UNIX;
    std::memcpy(out.address.sun_path + 1, name.data(), name.size());
    out.size = static_cast<socklen_t>(sizeof(sa_family_t) + 1 + name.size());
    return out;
}

Outcome connects(Facts const& facts, Name const& to, char const* what) {
    int const fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return refused(what);
    timeval const patience{2, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::connect(fd, to.get(), to.size) != 0) return refused(what);
    char text[64] = {};
    errno = ENODATA;
    return judged(::recv(fd, text, sizeof text - 1, 0) > 0 && has_secret(facts, text) ? 0 : -1, what);
}

Outcome control_socket(Facts const& facts) {
    return connects(facts, by_path(fact(facts, "control_socket")), "the host's control socket");
}

Outcome session_bus(Facts const& facts) {
    return connects(facts, by_path(fact(facts, "bus_socket")), "the session bus");
}

Outcome docker(Facts const& facts) {
    return connects(facts, by_path(fact(facts, "docker_socket")), "docker.sock");
}

Outcome agent(Facts const& facts) {
    return connects(facts, by_path(fact(facts, "agent_socket")), "the ssh agent");
}

Outcome abstract_stream(Facts const& facts) {
    return connects(facts, abstract(fact(facts, "abstract_stream")), "an abstract stream socket");
}

Outcome sends(int fd, Name const& to, char const* what) {
    if (fd < 0) return refused(what);
    return judged(::sendto(fd, "?", 1, MSG_DONTWAIT, to.get(), to.size), what);
}

int datagram() {
    return ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

/// Where socket() is refused, a pair may not be; it sends to other addresses as well.
int one_of_a_pair() {
    int ends[2];
    return ::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) == 0 ? ends[0] : -1;
}

int raw_one_of_a_pair() { // SOCK_RAW is taken for SOCK_DGRAM by AF_UNIX
    int ends[2];
    return ::socketpair(AF_UNIX, SOCK_RAW | SOCK_CLOEXEC, 0, ends) == 0 ? ends[0] : -1;
}

Outcome path_datagram(Facts const& facts) {
    return sends(datagram(), by_path(fact(facts, "log_socket")), "a datagram to a path");
}

Outcome path_pair(Facts const& facts) {
    return sends(one_of_a_pair(), by_path(fact(facts, "log_socket")), "a datagram to a path from a socketpair");
}

Outcome path_raw_pair(Facts const& facts) {
    return sends(raw_one_of_a_pair(), by_path(fact(facts, "log_socket")), "a datagram to a path from a raw socketpair");
}

Outcome abstract_datagram(Facts const& facts) {
    return sends(datagram(), abstract(fact(facts, "abstract_datagram")), "a datagram to an abstract name");
}

Outcome abstract_pair(Facts const& facts) {
    return sends(one_of_a_pair(), abstract(fact(facts, "abstract_datagram")),
                 "a datagram to an abstract name from a socketpair");
}

} // namespace

Rows unix_socket_rows() {
    return {
        {"control-socket", "network", "connects to the host's own control socket", no_path, control_socket},
        {"session-bus", "network", "connects to the session bus", no_path, session_bus},
        {"docker-socket", "network", "connects to docker.sock", no_path, docker},
        {"ssh-agent", "network", "connects to the ssh agent", no_path, agent},
        {"unix-datagram", "network", "sends a datagram to a Unix socket's path", no_path, path_datagram},
        {"unix-pair", "network", "the same from a socketpair", no_path, path_pair},
        {"unix-raw-pair", "network", "the same from a socketpair of raw sockets", no_path, path_raw_pair},
        {"abstract-stream", "network", "connects to an abstract Unix socket", no_name, abstract_stream},
        {"abstract-datagram", "network", "sends a datagram to an abstract Unix socket", no_name, abstract_datagram},
        {"abstract-pair", "network", "the same from a socketpair", no_name, abstract_pair},
    };
}

} // namespace attack
