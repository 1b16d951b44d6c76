// Worker: one thread for what may block, such as the vault, so that no call waits for it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace pfar::house {

class Worker {
public:
    Worker();
    Worker(Worker const&) = delete;
    Worker& operator=(Worker const&) = delete;
    /// Finishes what it has begun.
    ~Worker();

    /// `work` on the worker, one after the other; its result back on the caller's executor.
    template <class T> boost::asio::awaitable<T> run(boost::asio::any_io_executor executor, std::function<T()> work) {
        auto begin = [this, executor](auto handler, std::function<T()> todo) {
            auto const waiting = std::make_shared<decltype(handler)>(std::move(handler));
            boost::asio::post(context_, [executor, waiting, todo = std::move(todo)] {
                auto const result = std::make_shared<std::optional<T>>(todo());
                boost::asio::post(executor, [waiting, result] { (*waiting)(std::move(**result)); });
            });
        };
        co_return co_await boost::asio::async_initiate<boost::asio::use_awaitable_t<> const, void(T)>(
            begin, boost::asio::use_awaitable, std::move(work));
    }

private:
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_{context_.get_executor()};
    std::thread thread_;
};

} // namespace pfar::house
