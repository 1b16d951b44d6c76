// The other half of a connection: what goes out, how long it may take, and how it ends.
#include "gateway/http_connection.hpp"

#include <boost/asio/post.hpp>

namespace pfar::gateway {
namespace {

using How = HttpChannel::Moved::How;
constexpr std::size_t most_at_once = 256U << 10U, kept_room = 1024;

} // namespace

void HttpConnection::charge(std::ptrdiff_t bytes) {
    if (account_) *account_ += static_cast<std::size_t>(bytes);
    if (site_ != nullptr) site_->count_bytes(0, bytes);
}

void HttpConnection::count_body(std::size_t now) {
    auto const large = now > limits_.small_body ? now : 0;
    if (large == body_bytes_) return;
    auto const change = static_cast<std::ptrdiff_t>(large) - static_cast<std::ptrdiff_t>(body_bytes_);
    body_bytes_ = large;
    if (site_ != nullptr) site_->count_bytes(change, 0);
}

void HttpConnection::append(std::string bytes) {
    if (waiting() == 0) wrote_ = Clock::now();
    auto const size = bytes.size();
    if (written_ > out_.size() / 2) out_.erase(0, std::exchange(written_, 0));
    if (out_.empty())
        out_ = std::move(bytes);
    else
        out_ += bytes;
    charge(static_cast<std::ptrdiff_t>(size));
}

void HttpConnection::put(std::string bytes) {
    if (!open()) return;
    append(std::move(bytes));
    write_some();
    if (account_ && *account_ > limits_.waiting) close();
}

void HttpConnection::write_some() {
    for (std::size_t had = 0; !writing_ && waiting() > 0 && open();) {
        if (had >= most_at_once) return write_soon(true);
        auto const [how, bytes, when_writable] = channel_.write(std::string_view(out_).substr(written_));
        if (how == How::ended) return close();
        if (how == How::later) return write_soon(when_writable);
        had += bytes;
        written_ += bytes;
        wrote_ = Clock::now();
        charge(-static_cast<std::ptrdiff_t>(bytes));
    }
    if (waiting() == 0 && open()) drained();
}

void HttpConnection::write_soon(bool when_writable) {
    writing_ = true;
    auto const when = when_writable ? boost::asio::posix::descriptor_base::wait_write
                                    : boost::asio::posix::descriptor_base::wait_read;
    socket_.async_wait(when, [self = shared_from_this()](auto const& error) {
        self->writing_ = false;
        if (!error) self->write_some();
    });
}

void HttpConnection::drained() {
    written_ = 0;
    out_.clear();
    if (out_.capacity() > kept_room) std::string().swap(out_);
    if (phase_ == Phase::finishing) done();
}

/// A reply is out: the next request, or the end.
void HttpConnection::done() {
    account_.reset();
    gone_ = nullptr;
    since_ = Clock::now();
    fresh_ = false;
    if (!keeps_) {
        channel_.finish();
        phase_ = Phase::lingering; // closed at once, the client might never read why
        return read_soon();
    }
    phase_ = Phase::reading;
    if (in_.empty()) {
        if (in_.capacity() > kept_room) std::string().swap(in_);
        return read_soon();
    }
    behind_ = true; // others come first
    boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
        self->behind_ = false;
        if (self->phase_ == Phase::reading) self->feed();
        self->read_soon();
    });
}

void HttpConnection::look(Clock::time_point now) {
    if (phase_ != Phase::refusing && waiting() > 0 && now - wrote_ > limits_.unread) return close();
    if (phase_ == Phase::lingering && now - since_ > limits_.linger) return close();
    if (phase_ == Phase::reading) look_at_reading(now);
}

void HttpConnection::look_at_reading(Clock::time_point now) {
    if (!reader_) {
        if (now - since_ > (fresh_ ? limits_.head_time : limits_.idle)) close();
    } else if (!judged_) {
        if (now - since_ > limits_.head_time) give_up(plain_reply(408, "the header did not arrive in time"));
    } else if (now - since_ > limits_.body_time || now - moved_ > limits_.body_pause)
        give_up(plain_reply(408, "the body did not arrive in time"));
}

int HttpConnection::dispensable() const {
    if (phase_ == Phase::refusing || phase_ == Phase::lingering) return 2;
    if (phase_ != Phase::reading) return 0;
    return known_ ? 1 : 2;
}

void HttpConnection::close_soon() {
    keeps_ = false;
    if (phase_ == Phase::reading) close();
}

void HttpConnection::close() {
    if (!open()) return;
    phase_ = Phase::closed;
    charge(-static_cast<std::ptrdiff_t>(waiting()));
    count_body(0);
    std::string().swap(out_);
    std::string().swap(in_);
    written_ = 0;
    reader_.reset();
    account_.reset();
    boost::system::error_code ignored;
    socket_.close(ignored);
    boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
        if (auto const gone = std::exchange(self->gone_, nullptr)) gone();
        if (self->site_ != nullptr) self->site_->gone(self);
    });
}

} // namespace pfar::gateway
