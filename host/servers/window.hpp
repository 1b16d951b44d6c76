// Window: how many requests are on their way to a shared server at once, and whose is next.
//
// A pipe is first come, first served: whoever floods it makes all others wait behind him. So only a few are under way, and sessions take turns. What
// takes long is not counted for long, or a few slow calls would keep everybody out.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace pfar::servers {

class Window {
public:
    using Clock = std::chrono::steady_clock;
    struct Limits {
        std::size_t most = 16;
        std::chrono::milliseconds young{20}; // then it is no longer counted
    };
    /// Held while a request is under way; lets the next one in when it goes.
    class Place {
    public:
        Place() = default;
        Place(Place&& other) noexcept : window_(std::exchange(other.window_, {})), number_(other.number_) {}
        Place& operator=(Place&&) = delete;
        Place(Place const&) = delete;
        Place& operator=(Place const&) = delete;
        ~Place() {
            if (auto const window = window_.lock()) window->leave(number_);
        }

    private:
        friend class Window;
        Place(std::weak_ptr<Window> window, std::uint64_t number) : window_(std::move(window)), number_(number) {}
        std::weak_ptr<Window> window_;
        std::uint64_t number_ = 0;
    };

    /// [the executor's thread, as all of it]
    static std::shared_ptr<Window> make(boost::asio::any_io_executor const& executor, Limits const& limits);
    /// Most of the time there is room, and nobody waits.
    [[nodiscard]] bool has_room();
    Place enter_now();
    boost::asio::awaitable<Place> enter(std::string session);

private:
    Window(boost::asio::any_io_executor const& executor, Limits const& limits) : timer_(executor), limits_(limits) {}
    void leave(std::uint64_t number);
    void let_in();
    void watch();
    void forget_old();

    std::weak_ptr<Window> self_;
    boost::asio::steady_timer timer_;
    Limits limits_;
    std::map<std::uint64_t, Clock::time_point> young_; // those that count, oldest first
    std::map<std::string, std::deque<std::function<void()>>> waiting_;
    std::string last_; // whose turn it was
    std::uint64_t next_ = 0;
    std::size_t entering_ = 0; // let in, and not there yet
    bool watching_ = false;
};

} // namespace pfar::servers
