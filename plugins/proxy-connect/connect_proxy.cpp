// The session: takes the listeners, accepts, and starts a connection of the listener's kind for each client up to the limit.
#include "connect_proxy.hpp"

#include "clients.hpp"
#include "dns_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <sys/socket.h>

namespace pfar::proxy_connect {

using asio::ip::tcp;
using asio::ip::udp;
using Role = EgressListener::Role;
using boost::system::error_code;

namespace {

/// A listener and the coroutine that accepts from it; the coroutine keeps it.
struct Door {
    Door(std::shared_ptr<SessionState> state, tcp::acceptor listener, Role kind)
        : session(std::move(state)), acceptor(std::move(listener)), role(kind), pause(session->executor) {}

    void close() {
        error_code ignored;
        acceptor.close(ignored);
        pause.cancel();
    }

    std::shared_ptr<SessionState> session;
    tcp::acceptor acceptor;
    Role role;
    asio::steady_timer pause;
};

int option_of(Fd const& socket, int option) {
    int value = 0;
    socklen_t size = sizeof value;
    ::getsockopt(socket.number(), SOL_SOCKET, option, &value, &size);
    return value;
}

/// An acceptor or a socket for datagrams, out of a descriptor that somebody else made.
template <class Taken> Result<Taken> take(Fd socket, asio::any_io_executor const& executor, int type) {
    auto const family = option_of(socket, SO_DOMAIN);
    if ((family != AF_INET && family != AF_INET6) || option_of(socket, SO_TYPE) != type)
        return fail(Errc::invalid, "a listener is not the kind of socket that its role needs");
    using Protocol = typename Taken::protocol_type;
    Taken taken(executor);
    error_code error;
    taken.assign(family == AF_INET ? Protocol::v4() : Protocol::v6(), socket.number(), error);
    if (error) return fail(Errc::io, "a listener cannot be used: " + error.message());
    (void)socket.release(); // its own now
    taken.non_blocking(true, error);
    return taken;
}

Connection::Serve serve_of(Role role) {
    switch (role) {
    case Role::proxy:
        return serve_proxy;
    case Role::tls:
        return serve_tls;
    case Role::http:
        return serve_http;
    case Role::port:
        return serve_port;
    case Role::dns_tcp:
        return serve_dns;
    case Role::dns_udp:
        break;
    }
    return nullptr;
}

// No coroutine and no memory for a connection above the limit: the answer fits into a new socket's buffer, or it is lost.
void turn_away(SessionState const& session, tcp::socket client, Role role) {
    session.record(EgressRecord{{"", 0, Destination::Said::connect}, false, 0, 0, {}, "too many connections"});
    if (role != Role::proxy && role != Role::http) return;
    auto const answer = http_answer(Status::busy, "too many open connections from this server; close some");
    error_code ignored;
    client.non_blocking(true, ignored);
    client.write_some(asio::buffer(answer), ignored);
    client.shutdown(tcp::socket::shutdown_send, ignored);
    std::array<char, 4096> unread;
    client.read_some(asio::buffer(unread),
                     ignored); // a close on unread bytes is a reset, and that can overtake the answer
}

void admit(Door const& door, tcp::socket client) {
    auto const& session = door.session;
    if (session->connections.size() >= session->limits.tunnels)
        return turn_away(*session, std::move(client), door.role);
    std::make_shared<Connection>(session, std::move(client))->start(serve_of(door.role));
}

asio::awaitable<void> accept_all(std::shared_ptr<Door> door) {
    auto& session = door->session;
    for (bool complained = false; session->alive;) {
        auto [error, client] = co_await door->acceptor.async_accept(as_result);
        if (!session->alive) break;
        if (!error) {
            complained = false;
            admit(*door, std::move(client));
            continue;
        }
        if (session->log && !std::exchange(complained, true))
            session->log(LogLevel::warning, "the egress proxy cannot accept: " + error.message());
        // Out of descriptors or memory: those waiting are not lost, but trying again at once would only burn the processor.
        door->pause.expires_after(std::chrono::milliseconds(100));
        co_await door->pause.async_wait(as_result);
    }
}

class ProxySession final : public EgressSession {
public:
    explicit ProxySession(std::shared_ptr<SessionState> state) : state_(std::move(state)) {}
    ProxySession(ProxySession const&) = delete;
    ProxySession& operator=(ProxySession const&) = delete;

    ~ProxySession() override {
        for (auto const& door : doors_) door->close();
        error_code ignored;
        if (datagrams_) datagrams_->close(ignored);
        for (auto* const connection : state_->connections) connection->stop(); // they take themselves out later
        state_->alive = false;
    }

    Result<void> open(EgressListener listener) {
        if (listener.role == Role::dns_udp) {
            PFAR_TRY(socket, take<udp::socket>(std::move(listener.socket), state_->executor, SOCK_DGRAM));
            datagrams_ = std::make_shared<udp::socket>(std::move(socket));
            return {};
        }
        PFAR_TRY(acceptor, take<tcp::acceptor>(std::move(listener.socket), state_->executor, SOCK_STREAM));
        doors_.push_back(std::make_shared<Door>(state_, std::move(acceptor), listener.role));
        return {};
    }

    void serve() {
        for (auto const& door : doors_) asio::co_spawn(state_->executor, accept_all(door), asio::detached);
        if (datagrams_) asio::co_spawn(state_->executor, serve_dns_datagrams(state_, datagrams_), asio::detached);
    }

    Result<std::size_t> tunnels() const override { return state_->relaying; }

private:
    std::shared_ptr<SessionState> state_;
    std::vector<std::shared_ptr<Door>> doors_;
    std::shared_ptr<udp::socket> datagrams_;
};

// A setting that is a whole number within bounds.
Result<std::int64_t> number(Settings const& settings, std::string_view key, std::int64_t fallback, std::int64_t most) {
    PFAR_TRY(value, setting<std::int64_t>(settings, key, fallback));
    if (value >= 1 && value <= most) return value;
    return fail(Errc::invalid, std::string(key) + " has to be from 1 to " + std::to_string(most));
}

} // namespace

Result<void> ConnectProxy::configure(PluginContext const& context) {
    auto const& settings = context.settings;
    PFAR_CHECK(only(settings, {"header_bytes", "header_seconds", "idle_seconds", "tunnels"}));
    PFAR_TRY(header_bytes, number(settings, "header_bytes", 32768, 1 << 20));
    PFAR_TRY(header_seconds, number(settings, "header_seconds", 10, 3600));
    PFAR_TRY(idle_seconds, number(settings, "idle_seconds", 300, 604800));
    PFAR_TRY(tunnels, number(settings, "tunnels", 256, 65536));
    limits_.header_bytes = static_cast<std::size_t>(header_bytes);
    limits_.header = std::chrono::seconds(header_seconds);
    limits_.idle = std::chrono::seconds(idle_seconds);
    limits_.tunnels = static_cast<std::size_t>(tunnels);
    log_ = context.log;
    return {};
}

Result<std::unique_ptr<EgressSession>> ConnectProxy::serve(EgressTask task) {
    return open_session(std::move(task), limits_, log_);
}

Result<std::unique_ptr<EgressSession>> open_session(EgressTask task, Limits limits,
                                                    std::function<void(LogLevel, std::string_view)> log) {
    auto state = std::make_shared<SessionState>();
    state->executor = task.executor;
    state->decide = std::move(task.decide);
    state->record = std::move(task.record);
    state->require_sni = task.require_sni;
    state->limits = limits;
    state->log = std::move(log);
    auto session = std::make_unique<ProxySession>(std::move(state));
    for (auto& listener : task.listeners) PFAR_CHECK(session->open(std::move(listener)));
    session->serve();
    return Result<std::unique_ptr<EgressSession>>(std::move(session));
}

} // namespace pfar::proxy_connect
