// A connection's life: its parts, its clock, its record.
#include "connection.hpp"

#include <boost/asio/co_spawn.hpp>

namespace pfar::proxy_connect {

using Clock = std::chrono::steady_clock;
using boost::system::error_code;

Connection::Connection(std::shared_ptr<SessionState> session, Socket client)
    : session_(std::move(session)), client_(std::move(client)), upstream_(session_->executor),
      deadline_timer_(session_->executor), answered_(session_->executor, Clock::time_point::max()) {}

void Connection::start(Serve serve) {
    session_->connections.insert(this);
    error_code ignored;
    client_.non_blocking(true, ignored);
    client_.set_option(asio::ip::tcp::no_delay(true), ignored);
    allow_time(session_->limits.header, "no request in time");
    spawn(serve(shared_from_this()));
}

void Connection::spawn(asio::awaitable<void> part) {
    ++parts_;
    // An exception here is memory that ran out; whatever it is, this connection ends and the others do not.
    asio::co_spawn(session_->executor, std::move(part), [self = shared_from_this()](std::exception_ptr const& thrown) {
        if (thrown) self->close("internal error");
        self->part_done();
    });
}

void Connection::part_done() {
    if (--parts_ > 0) return;
    close("closed");
    session_->connections.erase(this);
    if (relaying_) --session_->relaying;
    settle(why_);
}

void Connection::stop() {
    settle("stopped");
    close("stopped");
}

void Connection::settle(std::string const& why) {
    if (!record_ || !session_->alive) return;
    record_->lasted = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - record_began_);
    record_->sent = std::exchange(sent_, 0);
    record_->received = std::exchange(received_, 0);
    if (record_->ended.empty()) record_->ended = why;
    session_->record(*std::exchange(record_, {}));
}

void Connection::blame(Destination destination, std::string why) {
    settle(why);
    if (session_->alive) session_->record(EgressRecord{std::move(destination), false, 0, 0, {}, std::move(why)});
}

void Connection::close(std::string why) {
    if (closed_) return;
    closed_ = true;
    why_ = std::move(why);
    error_code ignored;
    client_.close(ignored);
    upstream_.close(ignored);
    deadline_timer_.cancel();
    if (dialer_) dialer_->cancel();
    answered_.cancel();
}

// The timer is not moved with every byte: when it fires too early it is set again.
void Connection::allow_time(std::chrono::milliseconds limit, std::string why) {
    limit_ = limit;
    too_late_ = std::move(why);
    touch();
    if (!watched_ || deadline_ < deadline_timer_.expiry()) watch();
}

void Connection::watch() {
    if (closed_) return;
    watched_ = true;
    deadline_timer_.expires_at(deadline_);
    deadline_timer_.async_wait([weak = weak_from_this()](error_code error) {
        auto const self = weak.lock();
        if (error || !self || self->closed_) return;
        if (Clock::now() >= self->deadline_) return self->close(self->too_late_);
        self->watch();
    });
}

asio::ip::tcp::endpoint Connection::meant() const {
    error_code ignored;
    return client_.local_endpoint(ignored);
}

} // namespace pfar::proxy_connect
