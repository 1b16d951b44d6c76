// A network of its own in which every IPv4 address is local, as in a sandbox. A socket belongs for good to the network it was made
// in, so only the making happens in there; the proxy dials from outside, as it does in the host.
#pragma once

#include "made_hellos.hpp"
#include "running_proxy.hpp"

#include <fcntl.h>
#include <sched.h>

#include <cstdlib>

namespace pfar::proxy_connect {

using Role = EgressListener::Role;

class SandboxNetwork {
public:
    SandboxNetwork() {
        std::jthread([this] { make(); }).join();
        if (!missing_.empty()) SKIP(missing_);
    }

    /// A listener on every address, on the port that the world listens on too.
    [[nodiscard]] EgressListener listener(Role role, std::uint16_t port) const {
        bool const datagrams = role == Role::dns_udp;
        auto made = socket(datagrams ? SOCK_DGRAM : SOCK_STREAM);
        auto const everywhere = at("0.0.0.0", port);
        REQUIRE(::bind(made.number(), reinterpret_cast<sockaddr const*>(&everywhere), sizeof everywhere) == 0);
        if (!datagrams) REQUIRE(::listen(made.number(), 64) == 0);
        return {std::move(made), role, port};
    }

    [[nodiscard]] Peer client(std::string const& address, std::uint16_t port, int type = SOCK_STREAM) const {
        return Peer::connected(socket(type), at(address, port));
    }

private:
    void make() {
        if (::unshare(CLONE_NEWNET) != 0)
            missing_ = "a network namespace cannot be made here, which needs root";
        else if (std::system("ip link set lo up && ip route add local 0.0.0.0/0 dev lo") != 0)
            missing_ = "the network namespace has no routes, which needs the program ip";
        else
            network_ = Fd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    }

    [[nodiscard]] Fd socket(int type) const {
        Fd made;
        std::jthread([&] {
            if (::setns(network_.number(), CLONE_NEWNET) == 0) made = Fd(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
        }).join();
        REQUIRE(made);
        return made;
    }

    std::string missing_;
    Fd network_;
};

enum DnsType : std::uint16_t { a = 1, txt = 16, aaaa = 28, https = 65 };

inline std::string dns_question(std::string const& name, DnsType type = a, std::uint16_t id = 0x1234) {
    auto bytes = hellos::number(id, 2) + hellos::number(0x0100, 2) + hellos::number(1, 2) + hellos::number(0, 6);
    for (std::size_t start = 0; start < name.size();) {
        auto const end = std::min(name.find('.', start), name.size());
        bytes += hellos::block(1, name.substr(start, end - start));
        start = end + 1;
    }
    return bytes + hellos::number(0, 1) + hellos::number(type, 2) + hellos::number(1, 2);
}

struct DnsAnswer {
    int code;            // 0 no error, 2 server failure, 3 no such name
    std::string address; // if there is one
    bool operator==(DnsAnswer const&) const = default;
};

inline DnsAnswer read_dns(std::string const& bytes, std::uint16_t id = 0x1234) {
    REQUIRE(bytes.size() >= 12);
    CHECK(bytes.substr(0, 2) == hellos::number(id, 2));
    CHECK((bytes[2] & 0x80) != 0);
    DnsAnswer answer{bytes[3] & 0xf, ""};
    auto const records = bytes.substr(6, 2);
    CHECK((records == hellos::number(0, 2) || records == hellos::number(1, 2)));
    if (records == hellos::number(0, 2)) return answer;
    for (auto const byte : bytes.substr(bytes.size() - 4))
        answer.address += (answer.address.empty() ? "" : ".") + std::to_string(static_cast<unsigned char>(byte));
    return answer;
}

inline DnsAnswer ask_dns(Peer const& resolver, std::string const& name, DnsType type = a) {
    resolver.send(dns_question(name, type));
    return read_dns(resolver.receive_datagram());
}

} // namespace pfar::proxy_connect
