#include "gateway/http_listener.hpp"

#include "base/files.hpp"

#include <spdlog/spdlog.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace pfar::gateway {
namespace {

constexpr int accepts_a_turn = 2; // then those who are in come first, for a moment
constexpr std::chrono::milliseconds a_moment_for_others(1), trouble(200);

} // namespace

HttpListener::HttpListener(boost::asio::any_io_executor const& executor, Beginning beginning, HttpLimits const& limits)
    : limits_(limits), socket_(executor), pause_(executor), tick_(executor), penance_(executor), port_(beginning.port),
      tls_(std::move(beginning.tls)), turns_(executor, limits.bulk),
      routes_(executor, std::move(beginning.door), std::move(beginning.rooms), beginning.directory, limits_) {
    socket_.assign(beginning.socket.release());
}

HttpListener::~HttpListener() {
    close("the host stops serving HTTP");
    for (auto const& connection : std::exchange(connections_, {})) {
        connection->close();
        connection->forget_site();
    }
}

void HttpListener::start() {
    accept_soon();
    look_later();
}

void HttpListener::close(std::string const& why) {
    boost::system::error_code ignored;
    socket_.close(ignored);
    pause_.cancel();
    routes_.sessions().end_all(why);
    for (auto const& connection : std::unordered_set(connections_)) connection->close_soon();
    auto self = weak_from_this().lock();
    if (!self || connections_.empty()) return;
    pause_.expires_after(limits_.linger); // so long it lives, for what was said to be read
    pause_.async_wait([self = std::move(self)](auto const& /*error*/) {});
}

void HttpListener::serve(HttpClient const& client, HttpRequest request) {
    counts_.connections = connections_.size();
    routes_.serve(client, request, counts_);
}

void HttpListener::accept_soon() {
    if (accepting_ || !socket_.is_open()) return;
    accepting_ = true;
    socket_.async_wait(boost::asio::posix::descriptor_base::wait_read, [weak = weak_from_this()](auto const& error) {
        auto const self = weak.lock();
        if (!self) return;
        self->accepting_ = false;
        if (!error) self->accept_some();
    });
}

void HttpListener::accept_some() {
    for (int i = 0; i < accepts_a_turn; ++i) {
        if (connections_.size() >= limits_.connections && !make_room()) return pause(trouble);
        base::Fd socket(::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (socket)
            admit(std::move(socket));
        else if (errno == EAGAIN)
            return accept_soon();
        else if (errno != EINTR && errno != ECONNABORTED) {
            spdlog::warn("http: nobody can be let in for a moment: {}", base::errno_text(errno));
            make_room();
            return pause(trouble);
        }
    }
    pause(a_moment_for_others);
}

void HttpListener::admit(base::Fd socket) {
    int const on = 1;
    unsigned const unheard = 60000; // a machine that is gone does not keep its session
    ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(socket.number(), IPPROTO_TCP, TCP_USER_TIMEOUT, &unheard, sizeof unheard);
    auto const connection = std::make_shared<HttpConnection>(socket_.get_executor(), std::move(socket),
                                                             tls_ ? &*tls_ : nullptr, *this, limits_);
    if (!connection->open()) return;
    connections_.insert(connection);
    connection->start();
}

/// Closes the one that can be done without best. False if all are needed.
bool HttpListener::make_room() {
    HttpClient worst;
    for (auto const& connection : connections_) {
        auto const rank = connection->dispensable();
        if (rank == 0) continue;
        if (!worst || rank > worst->dispensable() ||
            (rank == worst->dispensable() && connection->since() < worst->since()))
            worst = connection;
    }
    if (!worst) return false;
    worst->close();
    worst->forget_site(); // nothing more has to be heard of it
    connections_.erase(worst);
    return true;
}

void HttpListener::pause(HttpLimits::Time time) {
    pause_.expires_after(time);
    pause_.async_wait([weak = weak_from_this()](auto const& error) {
        if (auto const self = weak.lock(); self && !error) self->accept_soon();
    });
}

void HttpListener::gone(HttpClient const& client) {
    connections_.erase(client);
    if (!socket_.is_open() && connections_.empty()) pause_.cancel();
}

void HttpListener::count_bytes(std::ptrdiff_t body, std::ptrdiff_t waiting) {
    bodies_ += static_cast<std::size_t>(body);
    waiting_ += static_cast<std::size_t>(waiting);
    if (body > 0 && bodies_ > limits_.bodies) { // the slowest goes
        HttpClient first;
        for (auto const& connection : connections_)
            if (connection->arriving() > 0 && (!first || connection->since() < first->since())) first = connection;
        if (first) first->give_up(plain_reply(503, "too much arrives at once; try again"));
    }
    if (waiting > 0 && waiting_ > limits_.all_waiting) {
        auto const most = std::max_element(connections_.begin(), connections_.end(),
                                           [](auto const& a, auto const& b) { return a->waiting() < b->waiting(); });
        if (most != connections_.end()) (*most)->close();
    }
}

void HttpListener::refuse_later(HttpClient const& client) {
    refused_.emplace_back(Clock::now() + limits_.penance, client);
    if (!std::exchange(speaking_, true)) speak_later();
}

void HttpListener::speak_later() {
    penance_.expires_at(refused_.front().first);
    penance_.async_wait([weak = weak_from_this()](auto const& error) {
        auto const self = weak.lock();
        if (!self || error) return;
        for (auto const now = Clock::now(); !self->refused_.empty() && self->refused_.front().first <= now;) {
            auto const client = self->refused_.front().second.lock();
            self->refused_.pop_front();
            if (client) client->speak();
        }
        self->speaking_ = !self->refused_.empty();
        if (self->speaking_) self->speak_later();
    });
}

void HttpListener::look_later() {
    tick_.expires_after(limits_.tick);
    tick_.async_wait([weak = weak_from_this()](auto const& error) {
        if (auto const self = weak.lock(); self && !error) self->look();
    });
}

void HttpListener::look() {
    auto const now = Clock::now();
    std::vector<HttpClient> const all(connections_.begin(), connections_.end());
    for (auto const& connection : all) connection->look(now);
    routes_.sessions().look(now);
    if (socket_.is_open() || !connections_.empty()) look_later();
}

} // namespace pfar::gateway
