// Coroutines on one thread. Whoever is spoken to says which peer it is, so that an attempt can tell whom it has reached.
#include "egress/peer_sessions.hpp"

#include "egress/lenient_http.hpp"
#include "egress/names.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>

namespace test {
namespace net = boost::asio;
namespace {

constexpr auto answered = net::as_tuple(net::use_awaitable);

template <class Stream> net::awaitable<bool> more(Stream& stream, std::string& bytes) {
    char buffer[65536];
    auto const [error, got] = co_await stream.async_read_some(net::buffer(buffer), answered);
    if (!error) bytes.append(buffer, got);
    co_return !error;
}

template <class Stream> net::awaitable<bool> say(Stream& stream, std::string text) {
    auto const [error, sent] = co_await net::async_write(stream, net::buffer(text), answered);
    co_return !error;
}

/// Without a port; a name that nobody asked for makes the peer evil.
std::string peer_by_host(Place const& place, std::string host) {
    if (auto const colon = host.rfind(':'); colon != std::string::npos && host.back() != ']') host.resize(colon);
    if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
    if (host.ends_with('.')) host.pop_back();
    return is_good_name(host) ? place.peer : "evil";
}

bool is_whole(HttpRequest const& request, std::string const& body) {
    return request.chunked ? chunks_end(body) > 0 : body.size() >= request.length;
}

template <class Stream> Session echo(Stream& stream) {
    std::string bytes;
    while (co_await more(stream, bytes)) {
        bool const said = co_await say(stream, std::move(bytes));
        if (!said) co_return;
        bytes.clear();
    }
}

template <class Stream> Session speak_http(Stream& stream, Place const& place, Record& record) {
    std::string bytes;
    while (true) {
        while (head_end(bytes) == 0) {
            bool const went_on = co_await more(stream, bytes);
            if (!went_on) co_return;
        }
        auto const request = read_head(std::string_view(bytes).substr(0, head_end(bytes)));
        bytes.erase(0, head_end(bytes));
        auto const peer = peer_by_host(place, request.host);
        record.push_back(peer + " http " + request.method + " " + request.target + " host=" + request.host);
        if (request.waits) co_await say(stream, "HTTP/1.1 100 Continue\r\n\r\n");
        while (!is_whole(request, bytes)) {
            bool const came = co_await more(stream, bytes);
            if (!came) co_return;
        }
        auto const size = request.chunked ? chunks_end(bytes) : request.length;
        auto reply = reply_to(request, std::string_view(bytes).substr(0, size), peer);
        bytes.erase(0, size);
        bool const said = co_await say(stream, std::move(reply.bytes));
        if (reply.upgraded) co_await echo(stream);
        if (!said || reply.closes || reply.upgraded) co_return;
    }
}

Session pump(Socket& from, Socket& to) {
    std::string bytes;
    while (co_await more(from, bytes)) {
        bool const passed = co_await say(to, std::move(bytes));
        if (!passed) break;
        bytes.clear();
    }
    boost::system::error_code error;
    to.shutdown(Socket::shutdown_send, error);
}

struct Tunnel {
    explicit Tunnel(Socket from) : client(std::move(from)), server(client.get_executor()) {}
    Socket client, server;
};

Session pump_down(std::shared_ptr<Tunnel> tunnel) {
    co_await pump(tunnel->server, tunnel->client);
}

/// A close on unread bytes is a reset, and that can overtake the answer; so everything is read first.
Session part(Socket& socket) {
    boost::system::error_code error;
    socket.shutdown(Socket::shutdown_send, error);
    std::string bytes;
    while (co_await more(socket, bytes)) bytes.clear();
}

} // namespace

Session serve_http(Socket socket, Place place, Record& record) {
    co_await speak_http(socket, place, record);
    co_await part(socket);
}

Session serve_tls(Socket socket, Place place, Record& record, net::ssl::context& context) {
    char first = 0;
    ssize_t got = -1;
    for (errno = EAGAIN; got < 0 && errno == EAGAIN;) { // a wait may end for nothing
        co_await socket.async_wait(Socket::wait_read, answered);
        got = ::recv(socket.native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
    }
    if (got != 1) co_return;
    if (first != 0x16) {
        record.emplace_back("evil bytes on port 443 that are not TLS");
        co_await say(socket, "peer=evil\n");
        co_await part(socket);
        co_return;
    }
    net::ssl::stream<Socket> stream(std::move(socket), context);
    auto const [error] = co_await stream.async_handshake(net::ssl::stream_base::server, answered);
    auto const* const said = SSL_get_servername(stream.native_handle(), TLSEXT_NAMETYPE_host_name);
    std::string const name = said != nullptr ? said : "";
    bool const proper = name.empty() ? place.address.ends_with("20") : is_good_name(name) && !is_good_address(name);
    if (!proper) place.peer = "evil";
    record.push_back(place.peer + " tls " + place.address + " name=" + name);
    if (error) co_return;
    co_await speak_http(stream, place, record);
    co_await stream.async_shutdown(answered);
}

Session serve_echo(Socket socket, Place place, Record& record) {
    record.push_back(place.peer + " echo " + std::to_string(place.port));
    auto greeting = "peer=" + place.peer + " port=" + std::to_string(place.port) + "\n";
    bool const said = co_await say(socket, std::move(greeting));
    if (said) co_await echo(socket);
}

Session serve_redis(Socket socket, Place place, Record& record) {
    for (std::string bytes; co_await more(socket, bytes); bytes.clear()) {
        record.push_back(place.peer + " redis " + bytes.substr(bytes.rfind('$') + 4, 4));
        std::string pong = place.peer == "good" ? "+PONG\r\n" : "+peer=evil\r\n";
        bool const answered = co_await say(socket, std::move(pong));
        if (!answered) co_return;
    }
}

Session serve_tally(Socket socket, Place place, Record& record) {
    std::string bytes;
    while (co_await more(socket, bytes)) {}
    record.push_back(place.peer + " tally " + std::to_string(bytes.size()));
    auto tally = "peer=" + place.peer + " tally=" + std::to_string(bytes.size()) + "\n";
    co_await say(socket, std::move(tally));
}

Session serve_proxy(Socket socket, Place place, Record& record) {
    std::string bytes;
    while (head_end(bytes) == 0) {
        bool const heard_more = co_await more(socket, bytes);
        if (!heard_more) co_return;
    }
    auto const request = read_head(std::string_view(bytes).substr(0, head_end(bytes)));
    bytes.erase(0, head_end(bytes));
    record.push_back("good proxy " + request.method + " " + request.target + " " + request.authorization);
    auto const colon = request.target.rfind(':');
    if (request.method != "CONNECT" || colon == std::string::npos) co_return;
    auto const name = request.target.substr(0, colon);
    auto const port = static_cast<std::uint16_t>(std::stoul(request.target.substr(colon + 1)));
    auto const tunnel = std::make_shared<Tunnel>(std::move(socket));
    net::ip::tcp::endpoint const here(net::ip::make_address(place.address), 0);
    net::ip::tcp::endpoint const there(net::ip::make_address(addresses_of(name, 0).front()), port);
    tunnel->server.open(net::ip::tcp::v4());
    tunnel->server.bind(here);
    auto const [error] = co_await tunnel->server.async_connect(there, answered);
    if (error) co_return;
    bool const greeted = co_await say(tunnel->client, "HTTP/1.1 200 OK\r\n\r\n");
    if (!greeted) co_return;
    bool const given = co_await say(tunnel->server, std::move(bytes));
    if (!given) co_return;
    net::co_spawn(tunnel->client.get_executor(), pump_down(tunnel), net::detached);
    co_await pump(tunnel->client, tunnel->server);
}

} // namespace test
