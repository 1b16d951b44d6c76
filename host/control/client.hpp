// Client: the other end of the control socket, for commands: asks, waits, and hears what it is told meanwhile. Without Asio, so that a command is quick.
#pragma once

#include "control/identity.hpp"
#include "control/run_directory.hpp"

#include <poll.h>

#include <chrono>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pfar::control {

/// What the host says of itself when it is greeted.
struct Greeting {
    Identity identity;
    pid_t pid = 0;
    bool idle = false;
};

using Heard = std::function<void(std::string_view method, std::string_view params)>;

/// Who else is waited for at the same time: a person at a terminal, a signal, bytes to be passed on.
struct Beside {
    std::function<void(std::vector<pollfd>&)> watch;    // adds what it waits for
    std::function<bool(std::span<pollfd const>)> ready; // the same, after each wait; false: enough
};

struct Question {
    std::string_view method, params = "{}";
    std::chrono::milliseconds timeout = std::chrono::seconds(30);
    std::vector<int> descriptors{}; // go beside it; not owned, at most 8
    Heard told{};                   // hears notifications while it waits; empty: they are kept for listen()
    Beside const* beside = nullptr;
};

class Client {
public:
    /// Errc::not_found if nobody listens there. [may block, as all of it]
    static Result<Client> connect(RunDirectory const& run);

    /// Comes first. Errc::unavailable if the host is leaving just now: look again.
    Result<Greeting> hello(Identity const& own, std::filesystem::path const& directory,
                           std::chrono::milliseconds patience = std::chrono::seconds(5));
    /// The result as JSON text, or the host's error. Errc::unavailable if it ended, Errc::timeout, Errc::refused if `beside` had enough.
    Result<std::string> ask(Question const& question);
    /// Notifications, those that came meanwhile first, until `heard` says false or the host ends (Errc::unavailable).
    Result<void> listen(std::function<bool(std::string_view method, std::string_view params)> const& heard,
                        Beside const* beside = nullptr);

private:
    using Deadline = std::chrono::steady_clock::time_point;
    explicit Client(base::Fd socket) : socket_(std::move(socket)) {}
    Result<void> send(std::string_view line, std::vector<int> const& descriptors) const;
    Result<std::string> next_line(Deadline deadline, Beside const* beside);
    /// True once the socket can be read.
    Result<bool> wait(Deadline deadline, Beside const* beside) const;
    Result<void> receive();

    base::Fd socket_;
    std::string heard_;
    std::size_t searched_ = 0;
    std::uint64_t next_ = 0;
    std::deque<std::pair<std::string, std::string>> told_; // method, params
};

} // namespace pfar::control
