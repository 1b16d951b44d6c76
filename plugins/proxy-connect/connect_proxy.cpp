// The session: takes the listeners, accepts, and starts a tunnel for each connection up to the limit.
#include "connect_proxy.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/socket.h>

namespace pfar::proxy_connect {

using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

/// A listener and the coroutine that accepts from it; the coroutine keeps it.
struct Door {
    Door(std::shared_ptr<SessionState> state, tcp::acceptor listener)
        : session(std::move(state)), acceptor(std::move(listener)), pause(session->executor) {}

    void close() {
        error_code ignored;
        acceptor.close(ignored);
        pause.cancel();
    }

    std::shared_ptr<SessionState> session;
    tcp::acceptor acceptor;
    asio::steady_timer pause;
};

Result<tcp::acceptor> take_listener(Fd socket, asio::any_io_executor const& executor) {
    int family = 0;
    socklen_t size = sizeof family;
    ::getsockopt(socket.number(), SOL_SOCKET, SO_DOMAIN, &family, &size);
    if (family != AF_INET && family != AF_INET6) return fail(Errc::invalid, "a proxy listener has to be a TCP socket");
    tcp::acceptor acceptor(executor);
    error_code error;
    acceptor.assign(family == AF_INET ? tcp::v4() : tcp::v6(), socket.number(), error);
    if (error) return fail(Errc::io, "a proxy listener cannot be used: " + error.message());
    (void)socket.release(); // the acceptor's now
    return acceptor;
}

// No coroutine and no memory for a connection above the limit: the answer fits into a new socket's buffer, or it is lost.
void turn_away(SessionState const& session, tcp::socket client) {
    auto const answer = http_answer(Status::busy, "too many open connections from this server; close some");
    error_code ignored;
    client.non_blocking(true, ignored);
    client.write_some(asio::buffer(answer), ignored);
    client.shutdown(tcp::socket::shutdown_send, ignored);
    std::array<char, 4096> unread;
    client.read_some(asio::buffer(unread),
                     ignored); // a close on unread bytes is a reset, and that can overtake the answer
    session.record(EgressRecord{{"", 0, Destination::Said::connect}, false, 0, 0, {}, "too many tunnels"});
}

void admit(std::shared_ptr<SessionState> const& session, tcp::socket client) {
    if (session->connections.size() >= session->limits.tunnels) return turn_away(*session, std::move(client));
    std::make_shared<Tunnel>(session, std::move(client))->start();
}

asio::awaitable<void> accept_all(std::shared_ptr<Door> door) {
    auto& session = door->session;
    for (bool complained = false; session->alive;) {
        auto [error, client] = co_await door->acceptor.async_accept(as_result);
        if (!session->alive) break;
        if (!error) {
            complained = false;
            admit(session, std::move(client));
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
        state_->alive = false;
        for (auto const& door : doors_) door->close();
        for (auto* const tunnel : state_->connections) tunnel->close("stopped"); // they take themselves out later
    }

    void open(tcp::acceptor acceptor) {
        doors_.push_back(std::make_shared<Door>(state_, std::move(acceptor)));
        asio::co_spawn(state_->executor, accept_all(doors_.back()), asio::detached);
    }

    Result<std::size_t> tunnels() const override { return state_->relaying; }

private:
    std::shared_ptr<SessionState> state_;
    std::vector<std::shared_ptr<Door>> doors_;
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
    PFAR_TRY(header_bytes, number(settings, "header_bytes", 8192, 1 << 20));
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
    if (task.require_sni)
        return fail(
            Errc::unsupported,
            "proxy-connect cannot check the server name inside TLS yet; with require_sni = false it serves without");
    for (auto const& listener : task.listeners)
        if (listener.role != EgressListener::Role::proxy)
            return fail(Errc::unsupported, "proxy-connect serves proxy clients only, not transparent mode; set "
                                           "transparent = false for " +
                                               task.server);
    auto state = std::make_shared<SessionState>();
    state->executor = task.executor;
    state->decide = std::move(task.decide);
    state->record = std::move(task.record);
    state->limits = limits;
    state->log = std::move(log);
    auto session = std::make_unique<ProxySession>(std::move(state));
    for (auto& listener : task.listeners) {
        PFAR_TRY(acceptor, take_listener(std::move(listener.socket), task.executor));
        session->open(std::move(acceptor));
    }
    return Result<std::unique_ptr<EgressSession>>(std::move(session));
}

} // namespace pfar::proxy_connect
