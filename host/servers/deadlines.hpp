// Deadlines: many points in time, one timer. Most of them are never reached, so setting and lifting one touches no kernel.
#pragma once

#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <set>

namespace pfar::servers {

class Deadlines {
public:
    using Clock = std::chrono::steady_clock;

    /// `passed` hears of each whose time has come; it may set and lift others, or destroy all of this. [the executor's thread, as all of it]
    Deadlines(boost::asio::any_io_executor const& executor, std::function<void(std::uint64_t)> passed);

    Deadlines(Deadlines const&) = delete;
    Deadlines& operator=(Deadlines const&) = delete;
    ~Deadlines() { stop(); }

    /// Anew, if it was set before.
    void set(std::uint64_t number, Clock::time_point when);
    void lift(std::uint64_t number);
    void stop();

private:
    void arm();
    void look();

    std::function<void(std::uint64_t)> passed_;
    std::shared_ptr<boost::asio::steady_timer> timer_; // shared with its handler, which may outlive us
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    std::map<std::uint64_t, Clock::time_point> when_;
    std::set<std::pair<Clock::time_point, std::uint64_t>> order_;
    Clock::time_point armed_ = Clock::time_point::max();
};

} // namespace pfar::servers
