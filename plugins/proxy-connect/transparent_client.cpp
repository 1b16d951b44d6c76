// Every IPv4 address is local in there, so the address that a client dialled is the one that it was accepted on.
#include "clients.hpp"

#include <boost/asio/buffer.hpp>

#include <algorithm>

namespace pfar::proxy_connect {

namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

asio::awaitable<HelloScan> read_hello(std::shared_ptr<Connection> connection) {
    auto const& limits = connection->session().limits;
    connection->allow_time(limits.header, "no TLS hello in time");
    HelloReader reader;
    auto scan = reader.take(connection->early());
    std::array<char, 4096> more;
    while (scan.state == HelloScan::State::incomplete) {
        auto const [error, size] = co_await connection->client().async_read_some(asio::buffer(more), as_result);
        if (error) break;
        scan = reader.take(std::string_view(more.data(), size));
    }
    connection->early() = reader.bytes();
    connection->look_again(RecordWalk(reader.size(), scan.early_data));
    co_return scan;
}

/// Asks about what was dialled and dials it; false: over.
asio::awaitable<bool> reach(std::shared_ptr<Connection> connection) {
    auto const destination = behind(connection->session(), connection->meant());
    auto const answer = co_await connection->ask(destination);
    if (answer != Connection::Answer::allowed) co_return false;
    auto const reached = co_await connection->dial();
    co_return reached;
}

} // namespace

bool same_name(std::string_view said, std::string_view canonical) {
    if (said.starts_with('[') && said.ends_with(']')) {
        boost::system::error_code error;
        auto const address = asio::ip::make_address_v6(std::string(said.substr(1, said.size() - 2)), error);
        return !error && address.to_string() == canonical;
    }
    if (said.ends_with('.')) said.remove_suffix(1);
    return std::equal(said.begin(), said.end(), canonical.begin(), canonical.end(),
                      [](char a, char b) { return lower(a) == b; });
}

std::string objection(HelloScan const& hello, Verdict const& verdict) {
    if (hello.state != HelloScan::State::complete) return "this is not TLS";
    if (verdict.is_address) return hello.name ? "a server name (" + *hello.name + ") for an address" : "";
    if (!hello.name) return "no TLS server name";
    return same_name(*hello.name, verdict.name) ? "" : "the TLS server name is " + *hello.name;
}

Destination behind(SessionState const& session, asio::ip::tcp::endpoint const& meant) {
    if (meant.address().is_v4())
        if (auto name = session.names.name_of(meant.address().to_v4()))
            return {std::move(*name), meant.port(), Destination::Said::address};
    return {meant.address().to_string(), meant.port(), Destination::Said::address};
}

asio::awaitable<bool> check_server_name(std::shared_ptr<Connection> connection) {
    auto const hello = co_await read_hello(connection);
    if (connection->closed()) co_return false;
    auto const wrong = objection(hello, connection->verdict());
    if (wrong.empty()) co_return true;
    auto& record = connection->record();
    record.allowed = false;
    connection->settle(wrong);
    auto alert = std::string(hello.state == HelloScan::State::complete ? alert_unrecognized_name : "");
    co_await connection->refuse(std::move(alert));
    co_return false;
}

asio::awaitable<void> serve_tls(std::shared_ptr<Connection> connection) {
    auto const destination = behind(connection->session(), connection->meant());
    auto const answer = co_await connection->ask(destination);
    if (answer == Connection::Answer::refused) {
        auto alert = std::string(alert_unrecognized_name);
        co_await connection->refuse(std::move(alert));
    }
    if (answer != Connection::Answer::allowed) co_return;
    if (connection->session().require_sni) {
        auto const right = co_await check_server_name(connection);
        if (!right) co_return;
    }
    auto const reached = co_await connection->dial();
    if (reached) co_await connection->relay();
}

asio::awaitable<void> serve_port(std::shared_ptr<Connection> connection) {
    auto const reached = co_await reach(connection);
    if (reached) co_await connection->relay();
}

asio::awaitable<void> serve_http(std::shared_ptr<Connection> connection) {
    auto const behind_it = behind(connection->session(), connection->meant());
    auto const head = co_await connection->read_head();
    if (head == 0) co_return;
    Meant const meant{behind_it.host, behind_it.port, false};
    co_await exchange(connection, head, meant);
}

} // namespace pfar::proxy_connect
