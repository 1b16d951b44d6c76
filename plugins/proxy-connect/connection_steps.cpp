// The steps before a relay. Results are named before they are looked at: g++ 12 miscompiles a co_await in a condition if the
// coroutine has no variable.
#include "connection.hpp"
#include "http_head.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace pfar::proxy_connect {

using boost::system::error_code;

namespace {

constexpr auto margin = std::chrono::seconds(5); // a step with a clock of its own ends by that one
constexpr std::size_t heard_at_most = std::size_t{1} << 20U, upstream_head = 8192;

std::string authority(Verdict const& verdict, std::uint16_t port) {
    bool const six = verdict.name.find(':') != std::string::npos;
    return (six ? "[" + verdict.name + "]" : verdict.name) + ":" + std::to_string(port);
}

std::string connect_request(Verdict const& verdict, std::uint16_t port) {
    auto const place = authority(verdict, port);
    std::string request = "CONNECT " + place + " HTTP/1.1\r\nHost: " + place + "\r\n";
    if (auto const& secret = verdict.upstream->authorization; secret.size() > 0)
        request.append("Proxy-Authorization: ").append(secret.reveal()).append("\r\n");
    return request + "\r\n";
}

} // namespace

asio::awaitable<std::size_t> Connection::read_head() {
    allow_time(session_->limits.header, "no request in time");
    auto const limit = session_->limits.header_bytes;
    auto scan = scan_head(early_, 0);
    while (scan.state == HeadScan::State::incomplete && early_.size() < limit) {
        auto const known = early_.size();
        early_.resize(std::min(limit, known + 2048));
        auto const space = asio::buffer(early_.data() + known, early_.size() - known);
        auto const [error, size] = co_await client_.async_read_some(space, as_result);
        early_.resize(known + size);
        if (error) {
            close("closed");
            co_return 0;
        }
        scan = scan_head(early_, known);
    }
    if (scan.state == HeadScan::State::complete && scan.size <= limit) co_return scan.size;
    if (scan.state == HeadScan::State::bad)
        co_await complain(Status::bad_request, "this is not the head of an HTTP/1.1 request");
    else
        co_await complain(Status::header_too_long, "the request's head is too long");
    co_return 0;
}

/// Whoever answers may do so now, later, twice or after the connection's end.
asio::awaitable<void> Connection::obtain_verdict(Destination destination) {
    allow_time(session_->limits.decision + margin, "undecided");
    verdict_.reset();
    answered_.expires_after(session_->limits.decision);
    auto const question = ++question_;
    session_->decide(std::move(destination), [weak = weak_from_this(), question](Verdict verdict) {
        auto const self = weak.lock();
        if (!self || self->verdict_ || self->question_ != question) return;
        self->verdict_ = std::move(verdict);
        self->answered_.cancel();
    });
    if (!verdict_ && !closed_) co_await answered_.async_wait(as_result);
    ++question_;
}

asio::awaitable<Connection::Answer> Connection::ask(Destination destination) {
    if (!session_->alive || closed_) co_return Answer::nobody;
    co_await obtain_verdict(destination);
    if (closed_) co_return Answer::nobody;
    if (!verdict_) {
        blame(std::move(destination), "undecided");
        co_return Answer::nobody;
    }
    if (!verdict_->allowed) co_return Answer::refused;
    record_began_ = std::chrono::steady_clock::now();
    record_ = EgressRecord{std::move(destination), true, 0, 0, {}, ""};
    co_return Answer::allowed;
}

asio::awaitable<Connection::Answer> Connection::ask_again(Destination destination) {
    if (!session_->alive || closed_) co_return Answer::nobody;
    destination.connected = true;
    co_await obtain_verdict(std::move(destination));
    if (closed_ || !verdict_) co_return Answer::nobody;
    co_return verdict_->allowed ? Answer::allowed : Answer::refused;
}

asio::awaitable<bool> Connection::dial() {
    auto const port = record_->destination.port;
    auto const& proxy = verdict_->upstream;
    std::vector<asio::ip::tcp::endpoint> endpoints;
    for (auto const& address : proxy ? proxy->dial : verdict_->dial)
        endpoints.emplace_back(address, proxy ? proxy->port : port);
    error_code ignored;
    upstream_.close(ignored); // of the request before
    allow_time(session_->limits.dial + margin, "unreachable");
    dialer_ = std::make_shared<Dialer>(session_->executor, std::move(endpoints), session_->limits.head_start);
    answered_.expires_after(session_->limits.dial);
    bool done = false;
    dialer_->start([this, &done](std::optional<Socket> connected) {
        done = true;
        if (connected) upstream_ = std::move(*connected);
        answered_.cancel();
    });
    if (!done) co_await answered_.async_wait(as_result);
    if (!done) dialer_->cancel();
    dialer_.reset();
    if (closed_ || !upstream_.is_open()) {
        if (record_) record_->ended = "unreachable";
        upstream_.close(ignored);
        co_return false;
    }
    if (!std::exchange(relaying_, true)) ++session_->relaying;
    upstream_.non_blocking(true, ignored);
    upstream_.set_option(asio::ip::tcp::no_delay(true), ignored);
    if (!proxy) co_return true;
    auto const through = co_await ask_upstream();
    co_return through;
}

/// A proxy that says nothing is one that cannot be reached.
asio::awaitable<bool> Connection::ask_upstream() {
    answered_.expires_after(session_->limits.dial);
    answered_.async_wait([weak = weak_from_this()](error_code error) {
        auto const self = weak.lock();
        if (!error && self) self->upstream_.close(error);
    });
    auto const request = connect_request(*verdict_, record_->destination.port);
    auto const [refused, written] = co_await asio::async_write(upstream_, asio::buffer(request), as_result);
    if (refused) co_return false;
    late_.clear();
    HeadScan scan;
    while (scan.state == HeadScan::State::incomplete && late_.size() < upstream_head) {
        auto const known = late_.size();
        late_.resize(known + 1024);
        auto const [error, size] =
            co_await upstream_.async_read_some(asio::buffer(late_.data() + known, 1024), as_result);
        late_.resize(known + size);
        if (error) co_return false;
        scan = scan_head(late_, known);
    }
    answered_.cancel();
    if (scan.state != HeadScan::State::complete || closed_) co_return false;
    auto const head = parse_response(std::string_view(late_).substr(0, scan.size), "CONNECT");
    late_.erase(0, scan.size);
    if (head && head->status >= 200 && head->status < 300) co_return true;
    record_->ended = "the upstream proxy answered " + (head ? std::to_string(head->status) : "nonsense");
    verdict_->why = record_->ended;
    co_return false;
}

asio::awaitable<void> Connection::refuse(std::string bytes) {
    allow_time(session_->limits.farewell, "closed");
    co_await asio::async_write(client_, asio::buffer(bytes), as_result);
    error_code ignored;
    client_.shutdown(Socket::shutdown_send, ignored);
    bytes.resize(4096);
    for (std::size_t heard = 0; heard < heard_at_most;) {
        auto const [error, size] = co_await client_.async_read_some(asio::buffer(bytes), as_result);
        if (error) break;
        heard += size;
    }
}

asio::awaitable<void> Connection::complain(Status status, std::string sentence) {
    Destination const nowhere{"", 0, Destination::Said::connect};
    blame(nowhere, sentence);
    co_await refuse(status, sentence);
}

} // namespace pfar::proxy_connect
