#include "servers/window.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace pfar::servers {

std::shared_ptr<Window> Window::make(boost::asio::any_io_executor const& executor, Limits const& limits) {
    std::shared_ptr<Window> made(new Window(executor, limits));
    made->self_ = made;
    return made;
}

void Window::forget_old() {
    auto const since = Clock::now() - limits_.young;
    while (!young_.empty() && young_.begin()->second < since) young_.erase(young_.begin());
}

bool Window::has_room() {
    if (!waiting_.empty()) return false;
    if (young_.size() >= limits_.most) forget_old();
    return young_.size() < limits_.most;
}

Window::Place Window::enter_now() {
    young_.emplace(++next_, Clock::now());
    return {self_, next_};
}

boost::asio::awaitable<Window::Place> Window::enter(std::string session) {
    auto const kept = self_.lock();
    auto begin = [this](auto handler, std::string whose) {
        auto const shared = std::make_shared<decltype(handler)>(std::move(handler));
        waiting_[std::move(whose)].emplace_back([shared] { (*shared)(); });
        let_in();
    };
    co_await boost::asio::async_initiate<boost::asio::use_awaitable_t<> const, void()>(
        begin, boost::asio::use_awaitable, std::move(session));
    co_return enter_now();
}

void Window::leave(std::uint64_t number) {
    young_.erase(number);
    if (!waiting_.empty()) let_in();
}

/// One of each session in turn.
void Window::let_in() {
    forget_old();
    for (auto room = limits_.most - std::min(limits_.most, young_.size() + entering_); room > 0 && !waiting_.empty();
         --room) {
        auto whose = waiting_.upper_bound(last_);
        if (whose == waiting_.end()) whose = waiting_.begin();
        last_ = whose->first;
        auto go = std::move(whose->second.front());
        whose->second.pop_front();
        if (whose->second.empty()) waiting_.erase(whose);
        ++entering_;
        boost::asio::post(timer_.get_executor(), [self = self_.lock(), go = std::move(go)] {
            --self->entering_;
            go();
        });
    }
    if (!waiting_.empty()) watch();
}

/// When the oldest no longer counts there is room again.
void Window::watch() {
    if (watching_ || young_.empty()) return;
    watching_ = true;
    timer_.expires_at(young_.begin()->second + limits_.young + std::chrono::milliseconds(1));
    timer_.async_wait([weak = self_](boost::system::error_code const& error) {
        auto const self = weak.lock();
        if (!self) return;
        self->watching_ = false;
        if (!error && !self->waiting_.empty()) self->let_in();
    });
}

} // namespace pfar::servers
