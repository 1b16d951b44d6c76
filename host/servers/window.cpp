#include "servers/window.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace pfar::servers {
namespace {

constexpr std::size_t most_lines = 64;

} // namespace

std::shared_ptr<Window> Window::make(boost::asio::any_io_executor const& executor, Limits const& limits) {
    std::shared_ptr<Window> made(new Window(executor, limits));
    made->self_ = made;
    return made;
}

Window::Line& Window::line_of(std::string const& session) {
    auto const found = lines_.find(session);
    if (found != lines_.end()) return found->second;
    if (lines_.size() >= most_lines) sweep();
    return lines_[session];
}

/// Whoever has nothing here is as good as new.
void Window::sweep() {
    std::erase_if(lines_, [](auto const& one) { return one.second.inside == 0 && one.second.waiting.empty(); });
}

void Window::forget(std::string const& session) {
    auto const found = lines_.find(session);
    if (found == lines_.end()) return;
    found->second.gone = true;
    if (found->second.inside == 0 && found->second.waiting.empty()) lines_.erase(found);
}

bool Window::has_room(bool heavy) const {
    auto const most = lines_.size() <= 1 ? limits_.alone : heavy ? limits_.most_heavy : limits_.most;
    return counted_.at(heavy ? 1 : 0) < most;
}

std::optional<Window::Place> Window::enter_now(std::string const& session) {
    auto& line = line_of(session);
    if (!waiting_.at(line.heavy ? 1 : 0).empty()) return {};
    if (!has_room(line.heavy)) forget_old();
    if (!has_room(line.heavy)) return {};
    line.due = std::max(line.due, turn_);
    return admit(line);
}

Window::Place Window::admit(Line& line) {
    auto const now = Clock::now();
    if (entries_.empty()) moved_ = now;
    entries_.push_back({now, line.heavy, true});
    ++counted_.at(line.heavy ? 1 : 0);
    ++line.inside;
    turn_ = line.due++;
    return {self_, line, first_ + entries_.size() - 1};
}

boost::asio::awaitable<Window::Place> Window::enter(std::string session) {
    auto const kept = self_.lock();
    auto begin = [this](auto handler, std::string const& whose) {
        auto const shared = std::make_shared<decltype(handler)>(std::move(handler));
        auto& line = line_of(whose);
        line.waiting.emplace_back([shared](Place place) { (*shared)(std::move(place)); });
        if (line.waiting.size() == 1) line.due = std::max(line.due, turn_), queue(line);
        let_in();
    };
    co_return co_await boost::asio::async_initiate<boost::asio::use_awaitable_t<> const, void(Place)>(
        begin, boost::asio::use_awaitable, std::move(session));
}

void Window::queue(Line& line) {
    line.waits_as_heavy = line.heavy;
    waiting_.at(line.heavy ? 1 : 0).emplace(line.due, &line);
}

void Window::leave(Line& line, std::uint64_t number) {
    --line.inside;
    moved_ = Clock::now();
    newest_left_ = std::max(newest_left_, number);
    if (number >= first_) stop_counting(entries_[number - first_]);
    while (!entries_.empty() && !entries_.front().counts) entries_.pop_front(), ++first_;
    if (line.gone && line.inside == 0 && line.waiting.empty())
        std::erase_if(lines_, [&](auto const& one) { return &one.second == &line; });
    let_in();
}

void Window::stop_counting(Entry& entry) {
    if (std::exchange(entry.counts, false)) --counted_.at(entry.heavy ? 1 : 0);
}

void Window::forget_old() {
    auto const since = Clock::now() - limits_.young;
    auto number = first_;
    for (auto& entry : entries_) {
        bool const overtaken = number++ < newest_left_;
        if (entry.since > since || (!overtaken && moved_ > since)) break;
        stop_counting(entry);
    }
    while (!entries_.empty() && !entries_.front().counts) entries_.pop_front(), ++first_;
}

/// Of each kind as many as there is room for, in the order of what is due.
void Window::let_in() {
    if (waiting_[0].empty() && waiting_[1].empty()) return;
    forget_old();
    for (auto& waiting : waiting_)
        while (!waiting.empty() && has_room(waiting.begin()->second->waits_as_heavy)) {
            auto& line = *waiting.begin()->second;
            waiting.erase(waiting.begin());
            auto let = std::move(line.waiting.front());
            line.waiting.pop_front();
            boost::asio::post(timer_.get_executor(),
                              [let = std::move(let), place = admit(line)]() mutable { let(std::move(place)); });
            if (!line.waiting.empty()) queue(line);
        }
    if (!waiting_[0].empty() || !waiting_[1].empty()) watch();
}

/// When the oldest no longer counts there is room again.
void Window::watch() {
    if (std::exchange(watching_, true)) return;
    auto const oldest = entries_.empty() ? moved_ : std::max(moved_, entries_.front().since);
    timer_.expires_at(oldest + limits_.young + std::chrono::milliseconds(1));
    timer_.async_wait([weak = self_](boost::system::error_code const& error) {
        auto const self = weak.lock();
        if (!self) return;
        self->watching_ = false;
        if (!error) self->let_in();
    });
}

} // namespace pfar::servers
