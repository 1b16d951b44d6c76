// End: a descriptor that is read or written, and what is waited on for it.
//
// Asio makes what it waits on not blocking, and O_NONBLOCK sits on the open file, which an agent may share with us: its own reads would fail then. So
// for a socket that blocks Asio gets an epoll descriptor of ours that watches it. Pipes, and sockets that do not block, are waited on themselves.
#pragma once

#include "base/fd.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <utility>

namespace pfar::wire {

enum class Way { in, out };

class End {
public:
    End(boost::asio::any_io_executor const& executor, base::Fd fd, Way way);

    [[nodiscard]] int number() const { return number_; }
    /// Then only with MSG_DONTWAIT.
    [[nodiscard]] bool is_socket() const { return is_socket_; }
    [[nodiscard]] bool is_open() const { return waited_.is_open(); }
    boost::asio::any_io_executor get_executor() { return waited_.get_executor(); }
    /// Until something can be read or written, or there is an end to see. One at a time.
    template <class Handler> void wait(Handler&& handler) {
        using boost::asio::posix::descriptor_base;
        if (watched_ && way_ == Way::out) watch_once();
        waited_.async_wait(watched_ || way_ == Way::in ? descriptor_base::wait_read : descriptor_base::wait_write,
                           std::forward<Handler>(handler));
    }
    void close();

private:
    void watch_once();

    boost::asio::posix::stream_descriptor waited_;
    base::Fd watched_; // if waited_ is not the descriptor itself
    Way way_;
    bool is_socket_;
    int number_;
};

} // namespace pfar::wire
