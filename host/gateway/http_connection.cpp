#include "gateway/http_connection.hpp"

#include <boost/asio/post.hpp>

#include <array>
#include <cstring>

namespace pfar::gateway {
namespace {

using How = HttpChannel::Moved::How;
constexpr std::size_t most_discarded = 64U << 20U, worth_moving = 64U << 10U;

/// All connections read into it, one after the other.
std::array<char, 32U << 10U>& scratch() {
    thread_local std::array<char, 32U << 10U> place;
    return place;
}

} // namespace

HttpConnection::HttpConnection(boost::asio::any_io_executor const& executor, base::Fd socket, HttpTls const* tls,
                               HttpSite& site, HttpLimits const& limits)
    : socket_(executor), channel_(socket.number(), tls), site_(&site), limits_(limits) {
    boost::system::error_code error;
    socket_.assign(socket.number(), error);
    if (error)
        phase_ = Phase::closed; // the kernel has no room to watch it
    else
        static_cast<void>(socket.release());
}

void HttpConnection::start() {
    read_soon();
}

bool HttpConnection::wants_bytes() const {
    if (phase_ == Phase::reading) return !behind_;
    if (phase_ == Phase::lingering) return true;
    bool const busy = phase_ == Phase::serving || phase_ == Phase::streaming;
    return busy && in_.size() < limits_.head; // to see it go; what it asks next has to fit a head
}

void HttpConnection::read_soon() {
    if (reading_ || !wants_bytes()) return;
    reading_ = true;
    if (channel_.holds_bytes())
        return boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
            self->reading_ = false;
            self->read_some();
        });
    auto const when = read_when_writable_ ? boost::asio::posix::descriptor_base::wait_write
                                          : boost::asio::posix::descriptor_base::wait_read;
    socket_.async_wait(when, [self = shared_from_this()](auto const& error) {
        self->reading_ = false;
        if (!error) self->read_some();
    });
}

/// Large bodies take turns, so that they take a bounded part of our time.
bool HttpConnection::has_turn() {
    if (body_bytes_ == 0 || std::exchange(granted_, false)) return true;
    behind_ = !site_->may_read_bulk(shared_from_this());
    return !behind_;
}

void HttpConnection::go_on() {
    if (phase_ != Phase::reading) return;
    behind_ = false;
    granted_ = true;
    read_some();
}

/// Once, not until nothing is left: who floods must not keep the others waiting.
void HttpConnection::read_some() {
    if (!wants_bytes() || !has_turn()) return;
    auto const [how, bytes, when_writable] = channel_.read(scratch().data(), scratch().size());
    if (how == How::ended) return close();
    read_when_writable_ = how == How::later && when_writable;
    if (how == How::some) {
        if (body_bytes_ > 0) site_->count_bulk(bytes);
        moved_ = Clock::now();
        heard({scratch().data(), bytes});
        if (site_ != nullptr && site_->asks_for_secrets()) ::explicit_bzero(scratch().data(), bytes);
    }
    read_soon();
}

void HttpConnection::heard(std::string_view bytes) {
    if (phase_ == Phase::lingering) {
        discarded_ += bytes.size();
        if (discarded_ > most_discarded) close();
        return;
    }
    in_.append(bytes);
    if (phase_ == Phase::reading) feed();
}

/// What has been understood of the input.
void HttpConnection::forget(std::size_t used) {
    if (!site_->asks_for_secrets()) return static_cast<void>(in_.erase(0, used));
    std::string rest(in_, used);
    ::explicit_bzero(in_.data(), in_.size());
    in_ = std::move(rest);
}

void HttpConnection::feed() {
    if (!reader_) {
        reader_ = std::make_unique<HttpReader>(limits_);
        judged_ = false;
        since_ = moved_ = Clock::now();
    }
    for (bool more = true; more && !in_.empty() && reader_->stage() != HttpReader::Stage::whole;) {
        auto const used = reader_->feed(in_);
        forget(used);
        count_body(reader_->arrived());
        if (phase_ != Phase::reading) return; // too much of all bodies
        if (!judge()) return;
        more = used > 0 && reader_->stage() == HttpReader::Stage::body;
    }
    if (reader_->stage() == HttpReader::Stage::whole) serve();
}

/// False: it was refused.
bool HttpConnection::judge() {
    auto const stage = reader_->stage();
    if (stage == HttpReader::Stage::bad) return refuse(reader_->refusal()), false;
    if (judged_ || stage == HttpReader::Stage::head) return true;
    judged_ = true;
    auto const verdict = site_->judge(reader_->request());
    if (verdict.refusal) return refuse(*verdict.refusal), false;
    known_ = verdict.known;
    since_ = Clock::now();
    reader_->limit_body(verdict.most_body);
    if (reader_->stage() == HttpReader::Stage::bad) return refuse(reader_->refusal()), false;
    if (reader_->expects_continue()) put("HTTP/1.1 100 Continue\r\n\r\n");
    return true;
}

/// What follows of it is not read: the connection ends with the refusal.
void HttpConnection::refuse(HttpReply said) {
    keeps_ = judged_ && reader_->stage() == HttpReader::Stage::whole && reader_->request().keeps;
    is_new_ = !judged_ || reader_->request().is_new;
    reader_.reset();
    count_body(0);
    phase_ = Phase::serving;
    reply(std::move(said));
}

void HttpConnection::give_up(HttpReply const& refusal) {
    if (phase_ == Phase::reading && reader_) refuse(refusal);
}

void HttpConnection::serve() {
    auto request = reader_->take();
    reader_.reset();
    count_body(0);
    is_new_ = request.is_new;
    keeps_ = request.keeps;
    phase_ = Phase::serving;
    site_->serve(shared_from_this(), std::move(request));
}

void HttpConnection::reply(HttpReply said) {
    if (phase_ != Phase::serving) return;
    site_->count_reply(said.status);
    auto head = head_text(said, {is_new_, keeps_});
    if (said.status < 400 && said.body.size() > worth_moving) {
        put(std::move(head)); // the rest need not be copied then
        phase_ = phase_ == Phase::closed ? phase_ : Phase::finishing;
        return put(std::move(said.body));
    }
    phase_ = said.status < 400 ? Phase::finishing : Phase::refusing;
    head += said.body;
    if (phase_ == Phase::finishing) return put(std::move(head));
    append(std::move(head));
    site_->refuse_later(shared_from_this());
}

void HttpConnection::speak() {
    if (phase_ != Phase::refusing) return;
    phase_ = Phase::finishing;
    put({});
}

void HttpConnection::begin_stream(HttpReply const& head) {
    if (phase_ != Phase::serving) return;
    site_->count_reply(head.status);
    phase_ = Phase::streaming;
    put(head_text(head, {is_new_, keeps_, true}));
}

void HttpConnection::stream(std::string_view bytes) {
    if (phase_ == Phase::streaming) put(is_new_ ? chunk_text(bytes) : std::string(bytes));
}

void HttpConnection::end_stream() {
    if (phase_ != Phase::streaming) return;
    phase_ = Phase::finishing;
    put(is_new_ ? "0\r\n\r\n" : "");
}

void HttpConnection::belong(Account account, std::function<void()> gone) {
    account_ = std::move(account);
    *account_ += waiting();
    gone_ = std::move(gone);
}

} // namespace pfar::gateway
