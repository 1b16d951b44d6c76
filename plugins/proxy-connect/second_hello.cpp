// The beginning of a TLS tunnel from the client's side: as long as a second hello can come, what it sends is walked along.
#include "clients.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace pfar::proxy_connect {

/// Reads more into early(); false at the end.
asio::awaitable<bool> Connection::hear_more() {
    auto const known = early_.size();
    early_.resize(known + 4096);
    auto const [error, size] = co_await client_.async_read_some(asio::buffer(early_.data() + known, 4096), as_result);
    early_.resize(known + size);
    touch();
    if (!error) co_return true;
    if (error != asio::error::eof) close("reset");
    boost::system::error_code ignored;
    upstream_.shutdown(Socket::shutdown_send, ignored);
    co_return false;
}

/// False: nothing more comes from the client. What is left in early() is free to go.
asio::awaitable<bool> Connection::pass_hellos() {
    for (;;) {
        auto const free = walk_->take(early_);
        auto const [error, size] = co_await asio::async_write(upstream_, asio::buffer(early_.data(), free), as_result);
        sent_ += size;
        if (error) {
            close("reset");
            co_return false;
        }
        early_.erase(0, free);
        if (walk_->over()) co_return true;
        if (walk_->found()) break;
        auto const more = co_await hear_more();
        if (!more) co_return false;
    }
    auto const right = co_await pass_second_hello();
    co_return right;
}

asio::awaitable<bool> Connection::pass_second_hello() {
    HelloReader reader;
    auto scan = reader.take(early_);
    while (scan.state == HelloScan::State::incomplete) {
        early_.clear();
        auto const more = co_await hear_more();
        if (!more) co_return false;
        scan = reader.take(early_);
    }
    early_ = reader.bytes();
    auto const wrong = objection(scan, *verdict_);
    if (wrong.empty()) co_return true;
    if (record_) record_->allowed = false;
    settle("in a second hello, " + wrong);
    close(wrong);
    co_return false;
}

} // namespace pfar::proxy_connect
