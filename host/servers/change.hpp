// Change: something to wait for with a bound. Whoever changes what others look at rings; they look again.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>

namespace pfar::servers {

class Change {
public:
    explicit Change(boost::asio::any_io_executor const& executor)
        : timer_(std::make_shared<boost::asio::steady_timer>(executor, boost::asio::steady_timer::time_point::max())) {}

    void ring() { timer_->cancel(); }
    boost::asio::any_io_executor executor() { return timer_->get_executor(); }
    /// Until it rings or the time has come, whichever is first. Ringing wakes those who wait now; so look first, then wait, without waiting
    /// for anything else in between.
    boost::asio::awaitable<void> until(std::chrono::steady_clock::time_point late) {
        auto const timer = timer_; // we may be gone when it rings
        boost::asio::steady_timer bound(timer->get_executor(), late);
        boost::system::error_code ignored;
        if (late != std::chrono::steady_clock::time_point::max())
            bound.async_wait([timer](boost::system::error_code const& error) {
                if (!error) timer->cancel();
            });
        co_await timer->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }

private:
    std::shared_ptr<boost::asio::steady_timer> timer_; // never expires
};

} // namespace pfar::servers
