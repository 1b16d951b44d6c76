// Lane: the thread on which egress filters run, so that bulk bytes never delay a tool call.
#pragma once

#include "egress/resolver.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <thread>

namespace pfar::egress {

class Lane {
public:
    Lane();
    Lane(Lane const&) = delete;
    Lane& operator=(Lane const&) = delete;
    /// Runs dry, then ends; whatever was opened on it has been closed. [not the lane]
    ~Lane();

    boost::asio::any_io_executor executor() { return context_.get_executor(); }
    Resolver& resolver() { return resolver_; }
    /// Runs `work` on the lane and waits for it. [not the lane, may block]
    void run(std::function<void()> const& work);

private:
    void serve();

    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_{context_.get_executor()};
    Resolver resolver_{context_.get_executor()};
    std::thread thread_;
};

} // namespace pfar::egress
