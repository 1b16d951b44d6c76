// Plain blocking sockets for both ends of a tunnel: nothing shared with the code under test. Every wait ends after five seconds.
#pragma once

#include <pfar/fd.hpp>

#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>

namespace pfar::proxy_connect {

inline sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

class Peer {
public:
    explicit Peer(Fd fd) : fd_(std::move(fd)) {
        timeval const limit{5, 0};
        REQUIRE(::setsockopt(fd_.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
    }

    static Peer connected_to(std::uint16_t port) {
        Peer peer(Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)));
        auto const address = loopback(port);
        REQUIRE(::connect(peer.fd_.number(), reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
        return peer;
    }

    void send(std::string_view text) const {
        while (!text.empty()) {
            auto const sent = ::send(fd_.number(), text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) return; // the other side may be gone by design; what arrives is what counts
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    /// Exactly `size` bytes, or fewer if the connection ends or nothing comes.
    [[nodiscard]] std::string receive(std::size_t size) const {
        std::string text(size, '\0');
        std::size_t got = 0;
        while (got < size) {
            auto const count = ::recv(fd_.number(), text.data() + got, size - got, 0);
            if (count <= 0) break;
            got += static_cast<std::size_t>(count);
        }
        text.resize(got);
        return text;
    }

    /// Everything up to the end of the connection.
    [[nodiscard]] std::string receive_all() const {
        std::string text, more;
        while (!(more = receive(1)).empty()) text += more;
        return text;
    }

    /// Whether the other side has ended it, orderly or not.
    [[nodiscard]] bool ended() const {
        char byte = 0;
        auto const count = ::recv(fd_.number(), &byte, 1, 0);
        return count == 0 || (count < 0 && errno == ECONNRESET);
    }

    void half_close() const { ::shutdown(fd_.number(), SHUT_WR); }

private:
    Fd fd_;
};

/// A listening socket on a port of its own.
class Listening {
public:
    Listening() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        auto address = loopback(0);
        auto* const plain = reinterpret_cast<sockaddr*>(&address);
        socklen_t size = sizeof address;
        REQUIRE(::bind(fd_.number(), plain, size) == 0);
        REQUIRE(::listen(fd_.number(), 64) == 0);
        REQUIRE(::getsockname(fd_.number(), plain, &size) == 0);
        port_ = ntohs(address.sin_port);
    }

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] Fd release() { return std::move(fd_); }

    [[nodiscard]] Peer accept() const {
        pollfd wait{fd_.number(), POLLIN, 0};
        REQUIRE(::poll(&wait, 1, 5000) == 1);
        return Peer(Fd(::accept4(fd_.number(), nullptr, nullptr, SOCK_CLOEXEC)));
    }

private:
    Fd fd_;
    std::uint16_t port_ = 0;
};

} // namespace pfar::proxy_connect
