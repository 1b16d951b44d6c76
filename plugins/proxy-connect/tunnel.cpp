// The steps of a tunnel, in the order in which serve() takes them. Every wait has the phase's deadline beside it.
#include "tunnel.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace pfar::proxy_connect {

using Clock = std::chrono::steady_clock;
using boost::system::error_code;

namespace {

// Measured: below 256 KiB bulk loses a fifth; but most tunnels carry little, and two large buffers cost their set-up.
constexpr std::size_t first_bytes = std::size_t{16} << 10U, relay_bytes = std::size_t{256} << 10U;
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

} // namespace

Tunnel::Tunnel(std::shared_ptr<SessionState> session, Socket client)
    : session_(std::move(session)), client_(std::move(client)), upstream_(session_->executor),
      deadline_timer_(session_->executor), answered_(session_->executor, Clock::time_point::max()),
      record_{{"", 0, Destination::Said::connect}, false, 0, 0, {}, ""} {}

void Tunnel::start() {
    session_->connections.insert(this);
    enter(Phase::header, session_->limits.header);
    spawn(serve(shared_from_this()));
}

// Results are named before they are looked at: g++ 12 miscompiles a co_await in a condition if the coroutine has no variable.
asio::awaitable<void> Tunnel::serve(std::shared_ptr<Tunnel> self) {
    auto const asked_for = co_await self->read_header();
    if (!asked_for) co_return;
    auto const allowed = co_await self->obtain_verdict();
    if (!allowed) co_return;
    auto const reached = co_await self->dial();
    if (!reached) co_return;
    co_await self->send();
}

asio::awaitable<bool> Tunnel::read_header() {
    auto const limit = session_->limits.header_bytes;
    early_.resize(limit);
    HeaderScan scan;
    for (std::size_t filled = 0; scan.state == HeaderScan::State::incomplete;) {
        if (filled == limit) {
            co_await refuse(Status::header_too_long, "the request's header is too long", "header too long");
            co_return false;
        }
        auto const space = asio::buffer(early_.data() + filled, limit - filled);
        auto const [error, size] = co_await client_.async_read_some(space, as_result);
        if (error) {
            close("no request");
            co_return false;
        }
        scan = scan_header(std::string_view(early_).substr(0, filled + size), filled);
        filled += size;
        if (scan.state != HeaderScan::State::incomplete) early_.resize(filled);
    }

    auto request = parse_connect(std::string_view(early_).substr(0, scan.size));
    if (!request) {
        co_await refuse(Status::bad_request, request.error().what, "bad request");
        co_return false;
    }
    early_.erase(0, scan.size);
    record_.destination.host = std::move(request->host);
    record_.destination.port = request->port;
    co_return true;
}

asio::awaitable<bool> Tunnel::obtain_verdict() {
    enter(Phase::decision, session_->limits.decision);
    ask();
    if (!verdict_ && !closed_) co_await answered_.async_wait(as_result);
    if (closed_) co_return false;
    if (!verdict_) {
        co_await refuse(Status::undecided, "nobody decided in time whether this is allowed", "undecided");
        co_return false;
    }
    record_.allowed = verdict_->allowed;
    if (!verdict_->allowed) co_await refuse(Status::forbidden, verdict_->why, "refused");
    co_return verdict_->allowed;
}

void Tunnel::ask() {
    if (!session_->alive) return;
    // Whoever answers may do so now, later, twice or after the tunnel's end.
    session_->decide(record_.destination, [weak = weak_from_this()](Verdict verdict) {
        auto const self = weak.lock();
        if (!self || self->verdict_ || self->phase_ != Phase::decision) return;
        self->verdict_ = std::move(verdict);
        self->answered_.cancel();
    });
}

asio::awaitable<bool> Tunnel::dial() {
    for (auto const& address : verdict_->dial) {
        asio::ip::tcp::endpoint const endpoint(address, record_.destination.port);
        auto const reached = co_await dial_one(endpoint);
        if (closed_) co_return false;
        if (reached) co_return true;
    }
    auto const name = verdict_->name.empty() ? record_.destination.host : verdict_->name;
    co_await refuse(Status::bad_gateway, name + " cannot be reached", "unreachable");
    co_return false;
}

asio::awaitable<bool> Tunnel::dial_one(asio::ip::tcp::endpoint endpoint) {
    enter(Phase::dial, session_->limits.dial);
    error_code ignored;
    upstream_.close(ignored); // of the attempt before
    auto const [error] = co_await upstream_.async_connect(endpoint, as_result);
    if (error || !upstream_.is_open()) co_return false; // it can be closed in the moment in which it succeeds
    upstream_.set_option(asio::ip::tcp::no_delay(true), ignored);
    client_.set_option(asio::ip::tcp::no_delay(true), ignored);
    co_return true;
}

// Client to world, on serve()'s own coroutine; the other direction gets one to itself, so that neither waits for the other.
asio::awaitable<void> Tunnel::send() {
    enter(Phase::relay, session_->limits.idle);
    relaying_ = true;
    ++session_->relaying;
    auto const greeting = asio::buffer(established);
    auto const [greeted, unused] = co_await asio::async_write(client_, greeting, as_result);
    if (greeted) co_return close("closed by the client");
    spawn(receive(shared_from_this()));

    auto const [error, size] = co_await asio::async_write(upstream_, asio::buffer(early_), as_result);
    record_.sent += size;
    if (error) co_return close("closed by the other side");
    std::string().swap(early_);
    co_await pump(client_, upstream_, record_.sent);
}

asio::awaitable<void> Tunnel::receive(std::shared_ptr<Tunnel> self) {
    co_await self->pump(self->upstream_, self->client_, self->record_.received);
}

asio::awaitable<void> Tunnel::pump(Socket& from, Socket& to, std::uint64_t& count) {
    auto capacity = first_bytes;
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    for (;;) {
        auto const [failed, size] = co_await from.async_read_some(asio::buffer(bytes.get(), capacity), as_result);
        if (failed == asio::error::eof) break;
        if (failed) co_return close("reset");
        deadline_ = Clock::now() + session_->limits.idle;
        auto const [refused, written] = co_await asio::async_write(to, asio::buffer(bytes.get(), size), as_result);
        count += written;
        if (refused) co_return close("reset");
        deadline_ = Clock::now() + session_->limits.idle;
        if (size < capacity || capacity == relay_bytes) continue;
        capacity = relay_bytes;
        bytes = std::make_unique_for_overwrite<char[]>(capacity);
    }
    error_code ignored;
    to.shutdown(Socket::shutdown_send, ignored); // half of it is over; the other half may go on
}

// Says why, then listens until the client has gone: closing at once on unread bytes would reset what it has not read yet.
asio::awaitable<void> Tunnel::refuse(Status status, std::string sentence, std::string ended) {
    if (record_.ended.empty()) record_.ended = std::move(ended);
    enter(Phase::farewell, session_->limits.farewell);
    auto const text = http_answer(status, sentence);
    co_await asio::async_write(client_, asio::buffer(text), as_result);
    error_code ignored;
    client_.shutdown(Socket::shutdown_send, ignored);
    early_.resize(4096);
    for (std::size_t heard = 0; heard < (std::size_t{1} << 20U);) {
        auto const [error, size] = co_await client_.async_read_some(asio::buffer(early_), as_result);
        if (error) break;
        heard += size;
    }
}

void Tunnel::spawn(asio::awaitable<void> part) {
    ++parts_;
    // An exception here is memory that ran out; whatever it is, this tunnel ends and the others do not.
    asio::co_spawn(session_->executor, std::move(part), [self = shared_from_this()](std::exception_ptr const& thrown) {
        if (thrown) self->close("internal error");
        self->part_done();
    });
}

void Tunnel::part_done() {
    if (--parts_ > 0) return;
    close("closed");
    session_->connections.erase(this);
    if (relaying_) --session_->relaying;
    if (!session_->alive) return;
    record_.lasted = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_);
    session_->record(std::move(record_));
}

void Tunnel::close(std::string why) {
    if (closed_) return;
    closed_ = true;
    if (record_.ended.empty()) record_.ended = std::move(why);
    error_code ignored;
    client_.close(ignored);
    upstream_.close(ignored);
    deadline_timer_.cancel();
    answered_.cancel();
}

// The timer is not moved with every byte: when it fires too early it is set again.
void Tunnel::enter(Phase phase, std::chrono::milliseconds limit) {
    phase_ = phase;
    deadline_ = Clock::now() + limit;
    if (!watched_ || deadline_ < deadline_timer_.expiry()) watch();
}

void Tunnel::watch() {
    if (closed_) return;
    watched_ = true;
    deadline_timer_.expires_at(deadline_);
    deadline_timer_.async_wait([weak = weak_from_this()](error_code error) {
        auto const self = weak.lock();
        if (error || !self || self->closed_) return;
        if (Clock::now() >= self->deadline_) self->expired();
        self->watch();
    });
}

void Tunnel::expired() {
    error_code ignored;
    switch (phase_) {
    case Phase::header:
        return close("no request in time");
    case Phase::decision:
        answered_.cancel();
        break;
    case Phase::dial:
        upstream_.close(ignored);
        break; // the next address may answer
    case Phase::relay:
        return close("idle");
    case Phase::farewell:
        return close("");
    }
    deadline_ = Clock::time_point::max(); // until the coroutine has entered its next phase
}

} // namespace pfar::proxy_connect
