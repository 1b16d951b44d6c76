// The mode is set before the name is there: the file is never open to others, not even for a moment.
#include "control/listener.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace pfar::control {
namespace {

Result<base::Fd> bound_socket(RunDirectory const& run) {
    base::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    auto const address = run.socket_address();
    ::unlinkat(run.fd(), socket_name, 0); // nobody's
    if (!socket || ::fchmod(socket.number(), 0600) != 0 ||
        ::bind(socket.number(), reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0 ||
        ::listen(socket.number(), SOMAXCONN) != 0)
        return fail(Errc::io,
                    fmt::format("{} cannot be listened on: {}; remove what is there",
                                base::printable((run.path() / socket_name).native()), base::errno_text(errno)));
    return socket;
}

} // namespace

Result<std::unique_ptr<Listener>> Listener::open(boost::asio::any_io_executor const& executor, RunDirectory const& run,
                                                 HostLock const& /*lock*/, ListenerLimits const& limits) {
    PFAR_TRY(socket, bound_socket(run));
    return std::unique_ptr<Listener>(new Listener(executor, std::move(socket), run.path() / socket_name, limits));
}

Listener::Listener(boost::asio::any_io_executor const& executor, base::Fd socket, std::filesystem::path path,
                   ListenerLimits const& limits)
    : socket_(executor), pause_(executor), path_(std::move(path)), limits_(limits) {
    socket_.assign(socket.release());
}

Listener::~Listener() {
    close_door();
    desk_->changed = {};
    for (auto const& connection : std::exchange(connections_, {})) connection->close();
}

void Listener::start(Methods methods, std::function<void()> changed) {
    desk_->methods = std::move(methods);
    desk_->changed = changed ? std::move(changed) : [] {}; // that it is there says that we are
    accept_soon();
}

void Listener::close_door() {
    if (!socket_.is_open()) return;
    desk_->leaving = true;
    ::unlink(path_.c_str());
    boost::system::error_code ignored;
    socket_.close(ignored);
    pause_.cancel();
    for (auto const& connection : std::set(connections_))
        if (!connection->greeted()) connection->close();
}

void Listener::accept_soon() {
    if (accepting_ || !socket_.is_open() || connections_.size() >= limits_.connections) return;
    accepting_ = true;
    socket_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this, desk = desk_](auto const& error) {
        if (error || !desk->changed) return; // closed, or `this` is gone
        accepting_ = false;
        accept_all();
    });
}

void Listener::accept_all() {
    while (connections_.size() < limits_.connections) {
        base::Fd socket(::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (socket)
            admit(std::move(socket));
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR && errno != ECONNABORTED) {
            spdlog::warn("control: nobody can be let in for a moment: {}", base::errno_text(errno));
            return pause(std::chrono::milliseconds(200));
        }
    }
    if (connections_.size() >= limits_.connections)
        spdlog::warn("control: {} are connected; further ones wait", connections_.size());
    accept_soon();
}

void Listener::pause(std::chrono::milliseconds time) {
    pause_.expires_after(time);
    pause_.async_wait([this, desk = desk_](auto const& error) {
        if (!error && desk->changed) accept_soon();
    });
}

void Listener::admit(base::Fd socket) {
    ucred who{};
    socklen_t size = sizeof who;
    bool const known = ::getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
    if (!known || (who.uid != ::geteuid() && who.uid != 0)) {
        spdlog::warn("control: uid {} (pid {}) is not the owner and was not let in", who.uid, who.pid);
        return;
    }
    auto const holder = std::make_shared<std::weak_ptr<Connection>>();
    auto gone = [this, holder, desk = desk_] {
        if (!desk->changed) return; // `this` is gone
        connections_.erase(holder->lock());
        accept_soon();
        desk->changed();
    };
    Connection::Beginning beginning{std::move(socket), who.pid, limits_.hello, std::move(gone)};
    auto const connection = std::make_shared<Connection>(socket_.get_executor(), desk_, std::move(beginning));
    *holder = connection;
    connections_.insert(connection);
    connection->start();
    desk_->changed();
}

} // namespace pfar::control
