#include "wire/late.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace pfar::wire {

void Late::add(boost::asio::any_io_executor const& executor, Work work) {
    auto& context = boost::asio::query(executor, boost::asio::execution::context);
    auto& here = boost::asio::use_service<Late>(context);
    here.waiting_.push_back(std::move(work));
    if (!std::exchange(here.going_, true)) here.go_on(executor);
}

void Late::go_on(boost::asio::any_io_executor const& executor) {
    boost::asio::post(executor, [this, executor] {
        auto const share = std::max<std::size_t>(1, a_turn / waiting_.size());
        auto const work = std::move(waiting_.front());
        waiting_.pop_front();
        work(share);
        going_ = !waiting_.empty();
        if (going_) go_on(executor);
    });
}

} // namespace pfar::wire
