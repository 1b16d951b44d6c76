#include "servers/deadlines.hpp"

namespace pfar::servers {

Deadlines::Deadlines(boost::asio::any_io_executor const& executor, std::function<void(std::uint64_t)> passed)
    : passed_(std::move(passed)), timer_(std::make_shared<boost::asio::steady_timer>(executor)) {}

void Deadlines::set(std::uint64_t number, Clock::time_point when) {
    lift(number);
    when_.emplace(number, when);
    order_.emplace(when, number);
    arm();
}

void Deadlines::lift(std::uint64_t number) {
    auto const found = when_.find(number);
    if (found == when_.end()) return;
    order_.erase({found->second, number});
    when_.erase(found);
}

void Deadlines::stop() {
    *alive_ = false;
    timer_->cancel();
}

/// A timer that is set earlier than needed looks, finds nothing, and is set again: cheaper than moving it with every call.
void Deadlines::arm() {
    if (order_.empty() || order_.begin()->first >= armed_) return;
    armed_ = order_.begin()->first;
    timer_->expires_at(armed_);
    timer_->async_wait([this, alive = alive_, timer = timer_](boost::system::error_code const& error) {
        if (!error && *alive) look();
    });
}

void Deadlines::look() {
    auto const alive = alive_;
    auto const passed = passed_; // ours goes with us
    armed_ = Clock::time_point::max();
    while (*alive && !order_.empty() && order_.begin()->first <= Clock::now()) {
        auto const number = order_.begin()->second;
        lift(number);
        passed(number);
    }
    if (*alive) arm();
}

} // namespace pfar::servers
