// What lies at the name inside is the server's to choose: it is opened without following links, and only a socket is connected to.
#include "servers/server_socket.hpp"

#include "base/files.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>

namespace pfar::servers {
namespace {

Result<wire::Ends> both_ends(base::Fd socket) {
    base::Fd copy(::fcntl(socket.number(), F_DUPFD_CLOEXEC, 3));
    if (!copy) return fail(Errc::io, fmt::format("its socket cannot be duplicated: {}", base::errno_text(errno)));
    return wire::Ends{std::move(copy), std::move(socket)};
}

} // namespace

Result<std::optional<ServerSocket>> ServerSocket::make(config::SurveyedFile const& file,
                                                       std::filesystem::path const& run, Wish& wish) {
    auto const& name = file.spec->server.socket;
    if (!name) return std::optional<ServerSocket>();
    if (!wish.grants.empty())
        return fail(
            Errc::unsupported,
            fmt::format(
                "{} has a socket and file grants: where files are granted Unix sockets are denied, because one among "
                "them could be a way out; let it speak over stdio, or remove the grants",
                file.spec->name));
    auto const directory = run / fmt::format("socket-{}-{:08x}", ::getpid(), std::random_device{}());
    ::mkdir(run.c_str(), 0700); // it may be there
    if (::mkdir(directory.c_str(), 0700) != 0)
        return fail(Errc::io, fmt::format("{} could not be made: {}", directory.native(), base::errno_text(errno)));
    wish.socket_directory = directory;
    return std::optional(ServerSocket(directory, *name));
}

ServerSocket::~ServerSocket() {
    std::error_code error;
    if (!directory_.empty()) std::filesystem::remove_all(directory_, error);
}

Result<base::Fd> ServerSocket::try_connect() const {
    base::Fd const place(::open((directory_ / name_).c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!place || ::fstat(place.number(), &info) != 0)
        return fail(Errc::unavailable, "it did not listen on its socket");
    if (!S_ISSOCK(info.st_mode)) return fail(Errc::refused, "what it put in the place of its socket is none");
    base::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    fmt::format_to_n(address.sun_path, sizeof address.sun_path - 1, "/proc/self/fd/{}", place.number());
    if (::connect(socket.number(), reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0)
        return fail(Errc::unavailable,
                    fmt::format("its socket could not be connected to ({})", base::errno_text(errno)));
    return socket;
}

boost::asio::awaitable<Result<wire::Ends>> ServerSocket::connect(boost::asio::any_io_executor executor,
                                                                 std::chrono::steady_clock::time_point late,
                                                                 std::function<bool()> over) {
    boost::asio::steady_timer timer(executor);
    for (auto pause = std::chrono::milliseconds(2);; pause = std::min(pause * 2, std::chrono::milliseconds(50))) {
        auto socket = try_connect();
        if (socket) co_return both_ends(std::move(*socket));
        if (socket.error().code != Errc::unavailable || over()) co_return socket.error();
        if (std::chrono::steady_clock::now() > late)
            co_return fail(Errc::timeout,
                           socket.error().what +
                               " in time; where it has to be is in ${socket} for args, and in $PFAR_SOCKET");
        timer.expires_after(pause);
        boost::system::error_code ignored;
        co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
}

} // namespace pfar::servers
