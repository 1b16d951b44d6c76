#include "http_stream.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <sys/socket.h>

namespace pfar::proxy_connect {

namespace {

using Socket = Connection::Socket;

constexpr std::size_t piece = std::size_t{64} << 10U, longest_head = std::size_t{64} << 10U;
constexpr int most_interim = 16; // answers of the kind "not yet"

PassedHead unusable(std::string why) {
    return {std::nullopt, std::move(why)};
}

/// 0: there was none that could be read.
asio::awaitable<std::size_t> read_head(std::shared_ptr<Connection> connection) {
    auto& late = connection->late();
    auto scan = scan_head(late, 0);
    while (scan.state == HeadScan::State::incomplete && late.size() < longest_head) {
        auto const known = late.size();
        late.resize(known + 4096);
        auto const space = asio::buffer(late.data() + known, 4096);
        auto const [error, size] = co_await connection->upstream().async_read_some(space, as_result);
        late.resize(known + size);
        if (error) co_return 0;
        scan = scan_head(late, known);
    }
    co_return scan.state == HeadScan::State::complete ? scan.size : 0;
}

} // namespace

asio::awaitable<bool> pass_body(std::shared_ptr<Connection> connection, BodyStream stream, BodyScan& scan,
                                bool until_close) {
    while (!scan.done()) {
        if (stream.pending.empty()) {
            stream.pending.resize(piece);
            auto const [error, size] = co_await stream.from.async_read_some(asio::buffer(stream.pending), as_result);
            stream.pending.resize(size);
            if (error == asio::error::eof && until_close) co_return true;
            if (error) co_return false;
        }
        auto const taken = scan.take(stream.pending);
        if (!taken) co_return false;
        connection->touch();
        auto const [refused, size] =
            co_await asio::async_write(stream.to, asio::buffer(stream.pending.data(), *taken), as_result);
        if (refused) co_return false;
        stream.count += size;
        stream.pending.erase(0, size);
        connection->touch();
    }
    co_return true;
}

asio::awaitable<void> send_body(std::shared_ptr<Connection> connection, std::shared_ptr<Upload> upload) {
    upload->pending.swap(connection->early());
    BodyStream const stream{connection->client(), connection->upstream(), upload->pending, connection->sent()};
    upload->finished = co_await pass_body(connection, stream, upload->scan, false);
    if (upload->finished)
        connection->early().swap(upload->pending);
    else if (!upload->abandoned)
        connection->close("cut short");
    upload->over.cancel();
}

asio::awaitable<PassedHead> pass_head(std::shared_ptr<Connection> connection, RequestHead const& request) {
    for (int interim = 0; interim < most_interim; ++interim) {
        auto const size = co_await read_head(connection);
        if (size == 0) co_return unusable("the other side closed the connection, or its answer is not HTTP/1.1");
        auto head = parse_response(std::string_view(connection->late()).substr(0, size), request.method);
        if (!head) co_return unusable("the other side's answer cannot be used: " + head.error().what);
        if (head->status == 101 && !request.upgrade) co_return unusable("the other side upgrades what was not to be");
        auto const bytes = asio::buffer(connection->late().data(), size);
        auto const [refused, written] = co_await asio::async_write(connection->client(), bytes, as_result);
        connection->late().erase(0, size);
        connection->received() += written;
        connection->touch();
        if (refused) connection->close("closed by the client");
        if (refused) co_return unusable("");
        if (head->status >= 200 || head->status == 101) {
            PassedHead passed{std::move(*head), ""};
            co_return passed;
        }
    }
    co_return unusable("the other side does not come to an answer");
}

asio::awaitable<void> watch_client(std::shared_ptr<Connection> connection, std::shared_ptr<Upload> upload) {
    auto const [error] = co_await connection->client().async_wait(Socket::wait_read, as_result);
    if (error || connection->closed() || upload->abandoned) co_return;
    char byte = 0;
    auto const got = ::recv(connection->client().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0 && errno != EAGAIN) connection->close("closed by the client");
    // It may only have ended its half; then it still reads.
    if (got == 0) connection->allow_time(connection->session().limits.header, "closed by the client");
}

} // namespace pfar::proxy_connect
