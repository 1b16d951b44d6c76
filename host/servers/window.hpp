// Window: how many requests are on their way to a shared server at once, and whose is next.
//
// A pipe is first come, first served: whoever floods it makes all others wait behind him. So only a few are under way, and who had least goes first: a
// session's next request is due one turn after its last (start-time fair queueing). Sessions that get much at a time go one by one. What takes long is not
// counted for long, or a few slow calls would keep everybody out: not once a later one has overtaken it, and not while nothing comes back at all.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace pfar::servers {

class Window {
    struct Line;

public:
    using Clock = std::chrono::steady_clock;
    struct Limits {
        std::size_t most = 16, most_heavy = 1, alone = 64; // alone: there is only one session
        std::size_t heavy = std::size_t{64} << 10U;        // bytes of a result
        std::chrono::milliseconds young{20};
    };
    /// Held while a request is under way; lets the next one in when it goes.
    class Place {
    public:
        Place(Place&& other) noexcept
            : window_(std::exchange(other.window_, {})), line_(other.line_), number_(other.number_) {}
        Place& operator=(Place&&) = delete;
        Place(Place const&) = delete;
        Place& operator=(Place const&) = delete;
        ~Place() {
            if (auto const window = window_.lock()) window->leave(*line_, number_);
        }
        /// What came back: the session's next are treated accordingly.
        void weigh(std::size_t bytes) {
            if (auto const window = window_.lock()) line_->heavy = bytes > window->limits_.heavy;
        }

    private:
        friend class Window;
        Place(std::weak_ptr<Window> window, Line& line, std::uint64_t number)
            : window_(std::move(window)), line_(&line), number_(number) {}
        std::weak_ptr<Window> window_;
        Line* line_;
        std::uint64_t number_;
    };

    /// [the executor's thread, as all of it]
    static std::shared_ptr<Window> make(boost::asio::any_io_executor const& executor, Limits const& limits);
    /// Most of the time there is room, and nobody waits.
    std::optional<Place> enter_now(std::string const& session);
    boost::asio::awaitable<Place> enter(std::string session);
    void forget(std::string const& session);

private:
    using Let = std::function<void(Place)>;
    struct Line { // of a session
        std::uint64_t due = 0;
        bool heavy = false, waits_as_heavy = false, gone = false;
        std::size_t inside = 0;
        std::deque<Let> waiting{};
    };
    struct Entry {
        Clock::time_point since;
        bool heavy, counts;
    };

    Window(boost::asio::any_io_executor const& executor, Limits const& limits) : timer_(executor), limits_(limits) {}
    Line& line_of(std::string const& session);
    [[nodiscard]] bool has_room(bool heavy) const;
    Place admit(Line& line);
    void leave(Line& line, std::uint64_t number);
    void stop_counting(Entry& entry);
    void forget_old();
    void queue(Line& line);
    void let_in();
    void watch();
    void sweep();

    std::weak_ptr<Window> self_;
    boost::asio::steady_timer timer_;
    Limits limits_;
    std::map<std::string, Line> lines_;
    std::deque<Entry> entries_; // oldest first, from number first_ on
    std::uint64_t first_ = 1, newest_left_ = 0, turn_ = 0;
    std::array<std::size_t, 2> counted_{};                               // light and heavy
    std::array<std::set<std::pair<std::uint64_t, Line*>>, 2> waiting_{}; // likewise, by what is due first
    Clock::time_point moved_;                                            // something came back
    bool watching_ = false;
};

} // namespace pfar::servers
