// Late: whoever has had its turn and has more to say goes on when nobody else is ready.
//
// One for a loop. After each piece the loop looks at everything else first, so that a stream that floods, or a hundred of them, costs the others no more
// than one piece at a time.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>

#include <deque>
#include <functional>

namespace pfar::wire {

class Late : public boost::asio::execution_context::service {
public:
    static inline boost::asio::execution_context::id id;
    using Work = std::function<void(std::size_t share)>; // of what a turn may cost: all of it if nobody else waits here

    explicit Late(boost::asio::execution_context& context) : service(context) {}
    /// Of the loop that the executor is of. [its thread]
    static void add(boost::asio::any_io_executor const& executor, Work work);

private:
    static constexpr std::size_t a_turn = 8;

    void shutdown() override { waiting_.clear(); }
    void go_on(boost::asio::any_io_executor const& executor);

    std::deque<Work> waiting_;
    bool going_ = false;
};

} // namespace pfar::wire
