// One thread, one context. Listeners are emptied by hand when the record is asked for, so that whatever has been connected or sent by
// then is in it.
#include "egress/peers.hpp"

#include "egress/dns_responder.hpp"
#include "egress/names.hpp"
#include "egress/peer_sessions.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <cstdint>
#include <functional>
#include <list>
#include <map>

namespace test {
namespace net = boost::asio;
using net::ip::tcp;
using net::ip::udp;
namespace {

constexpr auto answered = net::as_tuple(net::use_awaitable);

std::string text_of(net::ip::address const& address) {
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return net::ip::make_address_v4(net::ip::v4_mapped, address.to_v6()).to_string();
    return address.to_string();
}

class Peers {
public:
    Peers(pfar::Fd control, Certificates const& certificates)
        : control_(context_, net::local::stream_protocol(), control.release()) {
        tls_.use_certificate(net::buffer(certificates.certificate), net::ssl::context::pem);
        tls_.use_private_key(net::buffer(certificates.key), net::ssl::context::pem);
    }

    void run();

private:
    using Serve = std::function<Session(Socket, Place)>;
    struct Port {
        tcp::acceptor acceptor;
        Serve serve;
    };

    void listen(std::string const& address, unsigned number, Serve serve);
    void answer(unsigned number);
    bool accept(Port& port);
    bool receive(udp::socket& socket);
    std::string look_up(std::string_view query);
    void empty_listeners();
    void tell();
    Session serve_dns(Socket socket);
    static Session keep_accepting(Peers& peers, Port& port);
    static Session keep_receiving(Peers& peers, udp::socket& socket);
    static Session hear_control(Peers& peers);

    net::io_context context_{1};
    net::ssl::context tls_{net::ssl::context::tls_server};
    net::local::stream_protocol::socket control_;
    std::list<Port> ports_;
    std::list<udp::socket> datagrams_;
    std::map<std::string, unsigned> asked_;
    Record record_;
    bool wanted_ = false;
};

void Peers::listen(std::string const& address, unsigned number, Serve serve) {
    auto const port = static_cast<std::uint16_t>(number);
    auto& made = ports_.emplace_back(Port{tcp::acceptor(context_), std::move(serve)});
    tcp::endpoint const here(net::ip::make_address(address), port);
    made.acceptor.open(here.protocol());
    made.acceptor.set_option(net::socket_base::reuse_address(true));
    if (here.protocol() == tcp::v6()) made.acceptor.set_option(net::ip::v6_only(false));
    made.acceptor.bind(here);
    made.acceptor.listen(4096);
    made.acceptor.non_blocking(true);
    net::co_spawn(context_, keep_accepting(*this, made), net::detached);
}

void Peers::answer(unsigned number) {
    auto& made = datagrams_.emplace_back(context_, udp::v6());
    made.set_option(net::ip::v6_only(false));
    made.bind({udp::v6(), static_cast<std::uint16_t>(number)});
    made.non_blocking(true);
    net::co_spawn(context_, keep_receiving(*this, made), net::detached);
}

bool Peers::accept(Port& port) {
    boost::system::error_code error;
    Socket socket(context_);
    tcp::endpoint from;
    port.acceptor.accept(socket, from, error);
    if (error) return false;
    auto const here = socket.local_endpoint(error);
    Place place{"evil", text_of(here.address()), text_of(from.address()), here.port()};
    if (is_good_place(place.address, place.port)) place.peer = "good";
    if (place.address == "203.0.113.30" || (place.address == "127.0.0.1" && place.port == 53)) place.peer = "good";
    record_.push_back(place.peer + " tcp " + place.address + " " + std::to_string(place.port) + " from " + place.from);
    net::co_spawn(context_, port.serve(std::move(socket), std::move(place)), net::detached);
    return true;
}

std::string Peers::look_up(std::string_view query) {
    auto const question = read_question(query);
    if (!question) return {};
    record_.push_back((is_good_name(question->name) ? "good dns " : "evil dns ") + kind_name(question->kind) + " " +
                      question->name);
    auto& asked = asked_[question->name + " " + kind_name(question->kind)];
    return answer_to(query, *question, asked++);
}

bool Peers::receive(udp::socket& socket) {
    char buffer[65536];
    udp::endpoint from;
    boost::system::error_code error;
    auto const got = socket.receive_from(net::buffer(buffer), from, 0, error);
    if (error) return false;
    auto const port = socket.local_endpoint().port();
    auto const reply = port == 53 ? look_up({buffer, got}) : "peer=evil\n";
    if (port != 53) record_.push_back("evil udp " + std::to_string(port));
    socket.send_to(net::buffer(reply), from, 0, error);
    return true;
}

Session Peers::serve_dns(Socket socket) {
    std::string query, reply;
    while (true) {
        unsigned char size[2];
        auto const [error, got] = co_await net::async_read(socket, net::buffer(size), answered);
        if (error) co_return;
        query.resize(size[0] * 256U + size[1]);
        auto const [cut, all] = co_await net::async_read(socket, net::buffer(query), answered);
        if (cut) co_return;
        reply = look_up(query);
        reply.insert(0, {static_cast<char>(reply.size() >> 8U), static_cast<char>(reply.size() & 255U)});
        auto const [gone, sent] = co_await net::async_write(socket, net::buffer(reply), answered);
        if (gone) co_return;
    }
}

Session Peers::keep_accepting(Peers& peers, Port& port) {
    while (true) {
        auto const [error] = co_await port.acceptor.async_wait(tcp::acceptor::wait_read, answered);
        if (error) co_return;
        while (peers.accept(port)) {}
    }
}

Session Peers::keep_receiving(Peers& peers, udp::socket& socket) {
    while (true) {
        auto const [error] = co_await socket.async_wait(udp::socket::wait_read, answered);
        if (error) co_return;
        while (peers.receive(socket)) {}
    }
}

Session Peers::hear_control(Peers& peers) {
    while (true) {
        char byte = 0;
        auto const [error, got] = co_await peers.control_.async_read_some(net::buffer(&byte, 1), answered);
        if (error) {
            peers.context_.stop();
            co_return;
        }
        peers.wanted_ = true;
    }
}

void Peers::empty_listeners() {
    for (auto& port : ports_)
        while (accept(port)) {}
    for (auto& socket : datagrams_)
        while (receive(socket)) {}
}

void Peers::tell() {
    std::string text;
    for (auto const& line : record_) text += line + "\n";
    record_.clear();
    asked_.clear();
    auto const size = static_cast<std::uint32_t>(text.size());
    boost::system::error_code error;
    net::write(control_, net::buffer(&size, sizeof size), error);
    net::write(control_, net::buffer(text), error);
    wanted_ = false;
}

void Peers::run() {
    auto const with = [this](auto serve) -> Serve {
        return
            [this, serve](Socket socket, Place place) { return serve(std::move(socket), std::move(place), record_); };
    };
    listen("::", 443, [this](Socket socket, Place place) {
        return serve_tls(std::move(socket), std::move(place), record_, tls_);
    });
    listen("::", 53, [this](Socket socket, Place const&) { return serve_dns(std::move(socket)); });
    for (unsigned const port : {80, 8080}) listen("::", port, with(serve_http));
    for (unsigned const port : {5432, 22, 8443}) listen("::", port, with(serve_echo));
    listen("::", 6379, with(serve_redis));
    listen("::", 7000, with(serve_tally));
    listen("203.0.113.30", 3128, with(serve_proxy));
    for (unsigned const port : {53, 443, 9999}) answer(port);
    net::co_spawn(context_, hear_control(*this), net::detached);
    net::write(control_, net::buffer("r", 1));
    while (context_.run_one() > 0) {
        if (!wanted_) continue;
        do empty_listeners();
        while (context_.poll() > 0);
        tell();
    }
}

} // namespace

void run_peers(pfar::Fd control, Certificates const& certificates) {
    Peers(std::move(control), certificates).run();
}

} // namespace test
