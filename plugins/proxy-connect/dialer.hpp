// Dialer: the first of several addresses that answers (RFC 8305): the next is tried beside the one before after a head start, or at
// once when that one fails.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace pfar::proxy_connect {

namespace asio = boost::asio;

class Dialer : public std::enable_shared_from_this<Dialer> {
public:
    using Socket = asio::ip::tcp::socket;
    using Done = std::function<void(std::optional<Socket>)>;

    Dialer(asio::any_io_executor executor, std::vector<asio::ip::tcp::endpoint> endpoints,
           std::chrono::milliseconds head_start)
        : executor_(std::move(executor)), timer_(executor_), endpoints_(std::move(endpoints)), head_start_(head_start) {
    }

    /// `done` is called once, later or at once: with a connected socket, or with none when all have failed or it was cancelled.
    void start(Done done);
    void cancel();

private:
    void next();
    void wait_a_moment();
    void tried(std::size_t index, bool connected);
    void finish(std::optional<Socket> winner);

    asio::any_io_executor executor_;
    asio::steady_timer timer_;
    std::vector<asio::ip::tcp::endpoint> endpoints_;
    std::chrono::milliseconds head_start_;
    std::vector<std::unique_ptr<Socket>> attempts_;
    std::size_t failed_ = 0;
    Done done_;
};

} // namespace pfar::proxy_connect
