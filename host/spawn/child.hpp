// Child: one sandboxed process tree, from its launch to its end. Whoever drops it kills all of it.
#pragma once

#include "base/fd.hpp"
#include "spawn/launch.hpp"
#include "spawn/orders.hpp"

#include <pfar/launch_plan.hpp>
#include <pfar/shim_wire.hpp>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace pfar::spawn {

/// What a new child begins with.
struct Beginning {
    std::array<int, 3> stdio{-1, -1, -1}; // the server's; not owned. -1: /dev/null
    Additions additions;
    std::vector<int> entrances; // of control groups
};

/// One thing that happened. `gone`: the launcher itself has ended, which is the last that is heard.
struct Note {
    enum class Kind : std::uint8_t { inside, listener, no_routes, running, stopped, failed, ended, sockets, gone };
    Kind kind;
    int value = 0;                       // as ShimNote says; gone: the launcher's exit status as waitpid gives it
    ShimStage stage = ShimStage::orders; // failed
    std::string text;                    // failed: the path it was about; gone: what the launcher said
    base::Fd fd;                         // listener
};

class Child {
public:
    /// The plan needs orders for a shim that stays. [main thread]
    static Result<Child> start(LaunchPlan const& plan, Beginning const& beginning);

    Child(Child&& other) noexcept
        : launcher_(std::exchange(other.launcher_, {})), socket_(std::move(other.socket_)),
          first_(std::move(other.first_)), complaints_(std::move(other.complaints_)) {}
    Child& operator=(Child&&) = delete;
    ~Child();

    /// Readable when next() has something to tell.
    [[nodiscard]] int notes() const { return socket_.number(); }
    /// Whether next() will not wait: who is told by an event loop that it is readable may be told in vain.
    [[nodiscard]] bool has_note() const;
    /// Waits for the next note. [may block until something happens]
    Result<Note> next();
    /// For the server and its process group.
    void pass(int signal);
    /// Process 1 of the sandbox as this process sees it; 0 before `inside`.
    [[nodiscard]] pid_t first_process() const;
    /// Begins to kill everything and waits for nothing. Readable when the launcher (-1: it has been waited for) and process 1 are gone: then
    /// end() takes no time.
    void kill();
    [[nodiscard]] int launcher_exit() const { return launcher_ ? launcher_->exit.number() : -1; }
    [[nodiscard]] int first_exit() const { return first_.number(); }
    /// Kills everything and waits until it is gone.
    void end();

private:
    Child() = default;
    Note gone();
    void take_first_process(base::Fd pidfd) { first_ = std::move(pidfd); }

    std::optional<Launched> launcher_;
    base::Fd socket_, first_, complaints_;
};

/// A note of failure as a sentence. `program` as the owner knows it.
std::string explain(Note const& note, std::string const& program);

} // namespace pfar::spawn
