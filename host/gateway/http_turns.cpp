#include "gateway/http_turns.hpp"

#include <algorithm>

namespace pfar::gateway {
namespace {

constexpr std::chrono::milliseconds turn(1);
constexpr std::ptrdiff_t most_saved = 8; // turns that nobody took

} // namespace

HttpTurns::HttpTurns(boost::asio::any_io_executor const& executor, std::size_t bytes_a_second)
    : timer_(executor), a_turn_(static_cast<std::ptrdiff_t>(bytes_a_second) * turn.count() / 1000), left_(a_turn_) {}

void HttpTurns::refill() {
    auto const turns = (HttpConnection::Clock::now() - filled_) / turn;
    filled_ += turns * turn;
    left_ = std::min<std::ptrdiff_t>(left_ + std::min<std::ptrdiff_t>(turns, 1000) * a_turn_, most_saved * a_turn_);
}

bool HttpTurns::ask(HttpClient const& client) {
    refill();
    if (waiting_.empty() && left_ > 0) return true;
    waiting_.push_back(client);
    if (waiting_.size() == 1) wait();
    return false;
}

void HttpTurns::wait() {
    timer_.expires_at(filled_ + turn);
    timer_.async_wait([this, here = std::weak_ptr(here_)](auto const& error) {
        if (error || here.expired()) return;
        refill();
        while (!waiting_.empty() && left_ > 0) {
            auto const client = waiting_.front().lock();
            waiting_.pop_front();
            if (client) client->go_on();
        }
        if (!waiting_.empty()) wait();
    });
}

} // namespace pfar::gateway
