// Opening: every refusal comes before anything is bound.
#include "gateway/http_listener.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

namespace pfar::gateway {
namespace {

constexpr int send_room = 256 << 10,
              receive_room = 128 << 10; // the kernel's, for each connection; it would allow megabytes

struct Address {
    sockaddr_storage place{};
    socklen_t size = 0;
};

/// What is known to be an address, or localhost.
Address address_of(std::string host, std::uint16_t port) {
    Address out;
    if (host == "localhost") host = "127.0.0.1";
    if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
    auto* const four = reinterpret_cast<sockaddr_in*>(&out.place);
    auto* const six = reinterpret_cast<sockaddr_in6*>(&out.place);
    if (::inet_pton(AF_INET, host.c_str(), &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        out.size = sizeof *four;
    } else if (::inet_pton(AF_INET6, host.c_str(), &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
        out.size = sizeof *six;
    }
    return out;
}

Result<base::Fd> bound_socket(Address const& address, std::string const& words) {
    base::Fd socket(::socket(address.place.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    int const on = 1;
    ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    ::setsockopt(socket.number(), SOL_SOCKET, SO_SNDBUF, &send_room, sizeof send_room); // those that come inherit it
    ::setsockopt(socket.number(), SOL_SOCKET, SO_RCVBUF, &receive_room, sizeof receive_room);
    if (socket && ::bind(socket.number(), reinterpret_cast<sockaddr const*>(&address.place), address.size) == 0 &&
        ::listen(socket.number(), SOMAXCONN) == 0)
        return socket;
    bool const taken = errno == EADDRINUSE;
    return fail(
        taken ? Errc::conflict : Errc::io,
        fmt::format("{} cannot be listened on: {}; {}", words, base::errno_text(errno),
                    taken ? "choose another port, or end what listens there" : "choose another address or port"));
}

std::uint16_t port_of(base::Fd const& socket) {
    Address bound;
    bound.size = sizeof bound.place;
    ::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&bound.place), &bound.size);
    return ntohs(bound.place.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6 const*>(&bound.place)->sin6_port
                                                   : reinterpret_cast<sockaddr_in const*>(&bound.place)->sin_port);
}

Result<std::optional<HttpTls>> opened_tls(HttpSettings const& settings) {
    if (settings.certificate.empty() && settings.key.empty()) return std::optional<HttpTls>();
    if (settings.certificate.empty() || settings.key.empty())
        return fail(Errc::invalid, "TLS needs a certificate and its key; one of the two is missing");
    PFAR_TRY(tls, HttpTls::open(settings.certificate, settings.key));
    return std::optional<HttpTls>(std::move(tls));
}

} // namespace

Result<std::shared_ptr<HttpServer>> HttpServer::open(boost::asio::any_io_executor const& executor,
                                                     HttpSettings settings, HttpRooms rooms, HttpLimits const& limits) {
    if (::sodium_init() < 0) return fail(Errc::internal, "the source of randomness does not work");
    PFAR_TRY(door, HttpDoor::open(settings));
    PFAR_TRY(tls, opened_tls(settings));
    auto const address = address_of(settings.host, settings.port);
    auto const words = fmt::format("{} port {}", base::printable(settings.host), settings.port);
    if (address.size == 0)
        return fail(Errc::invalid, fmt::format("{} is written in an unusual way; write it as 127.0.0.1 or ::1", words));
    PFAR_TRY(socket, bound_socket(address, words));
    auto const port = port_of(socket);
    HttpListener::Beginning beginning{std::move(socket), port, std::move(tls), std::move(door), std::move(rooms),
                                      settings.directory};
    auto const out = std::make_shared<HttpListener>(executor, std::move(beginning), limits);
    out->start();
    return std::shared_ptr<HttpServer>(out);
}

} // namespace pfar::gateway
