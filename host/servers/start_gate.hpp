// StartGate: how many servers may be starting at once. A start that hangs gives its place to the next after a while.
#pragma once

#include "servers/change.hpp"

#include <algorithm>
#include <memory>
#include <thread>

namespace pfar::servers {

class StartGate : public std::enable_shared_from_this<StartGate> {
public:
    /// A place among those who start, given back when it is dropped, or after two seconds.
    using Place = std::shared_ptr<void>;

    explicit StartGate(boost::asio::any_io_executor const& executor)
        : free_(std::max(2U, std::thread::hardware_concurrency()) * 2), change_(executor) {}

    boost::asio::awaitable<Place> enter() {
        auto const self = shared_from_this();
        while (free_ == 0) co_await change_.until(std::chrono::steady_clock::time_point::max());
        --free_;
        auto const held = std::make_shared<Held>(self);
        held->timer.async_wait([weak = std::weak_ptr(held)](boost::system::error_code const& error) {
            if (auto const here = weak.lock(); here && !error) here->give_back();
        });
        co_return held;
    }

private:
    struct Held {
        explicit Held(std::shared_ptr<StartGate> from)
            : gate(std::move(from)), timer(gate->change_.executor(), std::chrono::seconds(2)) {}
        Held(Held const&) = delete;
        Held& operator=(Held const&) = delete;
        ~Held() { give_back(); }
        void give_back() {
            if (!std::exchange(given_back, true)) ++gate->free_, gate->change_.ring();
        }

        std::shared_ptr<StartGate> gate;
        boost::asio::steady_timer timer;
        bool given_back = false;
    };

    unsigned free_;
    Change change_;
};

} // namespace pfar::servers
