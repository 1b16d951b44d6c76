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

inline sockaddr_in at(std::string const& text, std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    REQUIRE(::inet_pton(AF_INET, text.c_str(), &address.sin_addr) == 1);
    return address;
}

class Peer {
public:
    explicit Peer(Fd fd) : fd_(std::move(fd)) {
        timeval const limit{5, 0};
        REQUIRE(::setsockopt(fd_.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
    }

    static Peer connected_to(std::uint16_t port) {
        return connected(Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), at("127.0.0.1", port));
    }

    static Peer connected(Fd socket, sockaddr_in const& address) {
        Peer peer(std::move(socket));
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

    [[nodiscard]] std::string receive_datagram() const {
        std::string text(4096, '\0');
        auto const count = ::recv(fd_.number(), text.data(), text.size(), 0);
        text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        return text;
    }

    /// Everything up to the end of the connection.
    [[nodiscard]] std::string receive_all() const {
        std::string text, more;
        while (!(more = receive(1)).empty()) text += more;
        return text;
    }

    /// Everything up to and with the empty line behind a head.
    [[nodiscard]] std::string receive_head() const {
        std::string text, more;
        while (!text.ends_with("\r\n\r\n") && !(more = receive(1)).empty()) text += more;
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

/// A listening socket on a port of its own, or at a place that has to be free.
class Listening {
public:
    explicit Listening(std::string const& host = "127.0.0.1", std::uint16_t port = 0, int backlog = 64)
        : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        auto address = at(host, port);
        auto* const plain = reinterpret_cast<sockaddr*>(&address);
        socklen_t size = sizeof address;
        int const yes = 1; // what a connection of the test before left behind is no obstacle
        if (port != 0) REQUIRE(::setsockopt(fd_.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0);
        REQUIRE(::bind(fd_.number(), plain, size) == 0);
        REQUIRE(::listen(fd_.number(), backlog) == 0);
        REQUIRE(::getsockname(fd_.number(), plain, &size) == 0);
        port_ = ntohs(address.sin_port);
    }

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] Fd release() { return std::move(fd_); }

    /// Whether somebody has connected, or does so in time.
    [[nodiscard]] bool is_called(int milliseconds = 0) const {
        pollfd wait{fd_.number(), POLLIN, 0};
        return ::poll(&wait, 1, milliseconds) == 1;
    }

    [[nodiscard]] Peer accept() const {
        REQUIRE(is_called(5000));
        return Peer(Fd(::accept4(fd_.number(), nullptr, nullptr, SOCK_CLOEXEC)));
    }

private:
    Fd fd_;
    std::uint16_t port_ = 0;
};

} // namespace pfar::proxy_connect
