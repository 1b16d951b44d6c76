// The kinds of clients, each as the steps that its connection goes through.
#pragma once

#include "client_hello.hpp"
#include "connection.hpp"
#include "http_head.hpp"

namespace pfar::proxy_connect {

/// Knows that it speaks to a proxy: CONNECT, or requests in absolute form.
asio::awaitable<void> serve_proxy(std::shared_ptr<Connection> connection);
/// Believe that they speak to the other side (transparent mode): TLS on 443, HTTP on 80, anything on another port.
asio::awaitable<void> serve_tls(std::shared_ptr<Connection> connection);
asio::awaitable<void> serve_http(std::shared_ptr<Connection> connection);
asio::awaitable<void> serve_port(std::shared_ptr<Connection> connection);
/// DNS over TCP.
asio::awaitable<void> serve_dns(std::shared_ptr<Connection> connection);

/// Asks and dials for a client that speaks HTTP; false: over, and it was told why.
asio::awaitable<bool> reach_or_answer(std::shared_ptr<Connection> connection, Destination destination);

/// The one host that requests may name; without a name any.
struct Meant {
    std::string name; // canonical
    std::uint16_t port = 0;
    bool connected = false; // there is a connection to it already
};

/// Requests one after the other, each judged, the first of which has its head at the beginning of early().
asio::awaitable<void> exchange(std::shared_ptr<Connection> connection, std::size_t head, Meant meant);

/// Reads the client's first TLS message; false if it is none or names another server than the verdict: then it is told and closed.
/// What was read is in early().
asio::awaitable<bool> check_server_name(std::shared_ptr<Connection> connection);

/// Why this is not the hello that the verdict wants; empty if it is.
std::string objection(HelloScan const& hello, Verdict const& verdict);
/// Whether a name as it was said is this canonical one.
bool same_name(std::string_view said, std::string_view canonical);

/// What an address inside the sandbox stands for, as something to ask about: a name, or the address itself.
Destination behind(SessionState const& session, asio::ip::tcp::endpoint const& meant);

} // namespace pfar::proxy_connect
