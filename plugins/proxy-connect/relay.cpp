// Bytes both ways. An idle direction holds no buffer: it waits until something is there, reads it into the one that all share, and
// writes it on at once. Only what the other side does not take is kept, in a buffer of its own until that is empty.
#include "connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <cstring>

namespace pfar::proxy_connect {

using boost::system::error_code;

namespace {

constexpr int burst = 8; // reads in a row, then it is another's turn

} // namespace

asio::awaitable<void> Connection::relay() {
    allow_time(session_->limits.idle, "idle");
    spawn(receive(shared_from_this()));
    if (walk_) {
        auto const settled = co_await pass_hellos();
        if (!settled) co_return;
    }
    auto const sent = co_await write_rest(upstream_, early_, sent_);
    if (!sent) co_return;
    co_await pump(client_, upstream_, sent_);
}

asio::awaitable<void> Connection::receive(std::shared_ptr<Connection> self) {
    auto const sent = co_await self->write_rest(self->client_, self->late_, self->received_);
    if (!sent) co_return;
    co_await self->pump(self->upstream_, self->client_, self->received_);
}

asio::awaitable<bool> Connection::write_rest(Socket& to, std::string& rest, std::uint64_t& count) {
    if (rest.empty()) co_return true;
    auto const [error, size] = co_await asio::async_write(to, asio::buffer(rest), as_result);
    std::string().swap(rest);
    if (error) {
        close("reset");
        co_return false;
    }
    count += size;
    co_return true;
}

asio::awaitable<void> Connection::pump(Socket& from, Socket& to, std::uint64_t& count) {
    std::unique_ptr<char[]> own;
    error_code error;
    for (int turn = 0; !closed_;) {
        auto* const space = own ? own.get() : session_->buffer.get();
        auto const size = from.read_some(asio::buffer(space, relay_bytes), error);
        if (error == asio::error::would_block) {
            own.reset();
            turn = 0;
            auto const [failed] = co_await from.async_wait(Socket::wait_read, as_result);
            if (failed) co_return close("reset");
            continue;
        }
        if (error == asio::error::eof) break;
        if (error) co_return close("reset");
        touch();
        auto const written = to.write_some(asio::buffer(space, size), error);
        if (error && error != asio::error::would_block) co_return close("reset");
        count += written;
        if (written < size) {
            if (!own) {
                own = std::make_unique_for_overwrite<char[]>(relay_bytes);
                std::memcpy(own.get() + written, space + written, size - written);
            }
            auto const rest = asio::buffer(own.get() + written, size - written);
            auto const [refused, more] = co_await asio::async_write(to, rest, as_result);
            if (refused) co_return close("reset");
            count += more;
            touch();
            turn = 0;
        } else if (++turn == burst) {
            turn = 0;
            co_await asio::post(session_->executor, asio::use_awaitable);
        }
    }
    to.shutdown(Socket::shutdown_send, error); // half of it is over; the other half may go on
}

} // namespace pfar::proxy_connect
