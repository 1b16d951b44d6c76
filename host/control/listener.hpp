// Listener: run/pfar.sock, and everybody who is connected there. Only the owner (or root) is let in.
#pragma once

#include "control/connection.hpp"
#include "control/lock.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <set>

namespace pfar::control {

struct ListenerLimits {
    std::size_t connections = 256; // further ones wait until somebody leaves
    std::chrono::milliseconds hello = std::chrono::seconds(5);
};

class Listener {
public:
    /// `lock` is the proof that a socket which is already there is nobody's; it is removed. [main thread, as all of it]
    static Result<std::unique_ptr<Listener>> open(boost::asio::any_io_executor const& executor, RunDirectory const& run,
                                                  HostLock const& lock, ListenerLimits const& limits = {});
    Listener(Listener const&) = delete;
    Listener& operator=(Listener const&) = delete;
    ~Listener();

    /// Nobody is served before. `changed` is called whenever idle() may have changed.
    void start(Methods methods, std::function<void()> changed);
    /// Nobody is let in any more, and those who have asked nothing are sent away. Requests in flight go on.
    void close_door();

    /// Nobody is connected and nothing runs.
    [[nodiscard]] bool idle() const { return connections_.empty() && desk_->in_flight == 0; }
    [[nodiscard]] std::size_t connections() const { return connections_.size(); }
    [[nodiscard]] std::size_t in_flight() const { return desk_->in_flight; }

private:
    Listener(boost::asio::any_io_executor const& executor, base::Fd socket, std::filesystem::path path,
             ListenerLimits const& limits);
    void accept_soon();
    void accept_all();
    void admit(base::Fd socket);
    void pause(std::chrono::milliseconds time);

    boost::asio::posix::stream_descriptor socket_;
    boost::asio::steady_timer pause_;
    std::filesystem::path path_;
    ListenerLimits limits_;
    std::shared_ptr<Desk> desk_ = std::make_shared<Desk>();
    std::set<std::shared_ptr<Connection>> connections_;
    bool accepting_ = false;
};

} // namespace pfar::control
