// HttpTurns: large bodies are read piece by piece, each in its turn, and all together at a bounded pace: what they cost is time that small requests
// have to wait.
#pragma once

#include "gateway/http_connection.hpp"

#include <boost/asio/steady_timer.hpp>

#include <deque>

namespace pfar::gateway {

class HttpTurns {
public:
    HttpTurns(boost::asio::any_io_executor const& executor, std::size_t bytes_a_second);
    HttpTurns(HttpTurns const&) = delete;
    HttpTurns& operator=(HttpTurns const&) = delete;
    ~HttpTurns() = default;

    /// True: now. Otherwise client->go_on() is called. [main thread, as all of it]
    bool ask(HttpClient const& client);
    void count(std::size_t bytes) { left_ -= static_cast<std::ptrdiff_t>(bytes); }

private:
    void refill();
    void wait();

    boost::asio::steady_timer timer_;
    std::ptrdiff_t a_turn_, left_;
    HttpConnection::Clock::time_point filled_ = HttpConnection::Clock::now();
    std::deque<std::weak_ptr<HttpConnection>> waiting_;
    std::shared_ptr<bool> here_ = std::make_shared<bool>(true);
};

} // namespace pfar::gateway
