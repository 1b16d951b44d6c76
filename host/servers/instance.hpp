// Instance: one process of a server and the session with it, from its start to its end.
#pragma once

#include "servers/change.hpp"
#include "servers/process.hpp"
#include "servers/session.hpp"

#include <memory>
#include <optional>

namespace pfar::servers {

/// Where a start failed, as SPEC 6 says it.
struct StartFailure {
    enum class Where { missing, locked, refused, spawn, handshake };
    Where where;
    std::string words;     // with the remedy
    std::string last = ""; // what it said last, as last_words() puts it
};

class Instance : public std::enable_shared_from_this<Instance> {
public:
    struct Task {
        std::string name;
        StartTask start;
        config::Timeouts timeouts;
        Session::Heard heard;                                 // `ended` is the instance's own
        std::function<std::vector<std::string>()> last_words; // of its stderr
        std::function<void(Instance&)> made;                  // hears of it as soon as there is a process
    };
    using Begun = boost::system::result<std::shared_ptr<Instance>, StartFailure>;

    /// Started and initialized, or gone again. [the executor's thread, as all of it]
    static boost::asio::awaitable<Begun> begin(boost::asio::any_io_executor executor, StartProcess start, Task task);
    Instance(boost::asio::any_io_executor const& executor, std::unique_ptr<Process> process);
    Instance(Instance const&) = delete;
    Instance& operator=(Instance const&) = delete;
    ~Instance();

    [[nodiscard]] std::shared_ptr<Session> const& session() const { return session_; }
    [[nodiscard]] boost::asio::any_io_executor const& executor() const { return executor_; }
    [[nodiscard]] Process& process() const { return *process_; }
    /// Called once, when its process has ended, each in turn; at once if it has.
    void on_end(std::function<void(Instance const&)> heard);
    [[nodiscard]] bool has_ended() const { return ending_.has_value(); }
    /// Until its process has ended, it has stopped talking, or the time has come; then how it is.
    boost::asio::awaitable<std::optional<Ending>> ended(std::chrono::steady_clock::time_point late);
    [[nodiscard]] std::optional<Ending> const& ending() const { return ending_; }
    /// It says nothing more: it has a second to end by itself, then it is killed.
    void give_up(std::string words);
    /// At once, all of it.
    void kill(std::string words);
    /// Closes its stdin; if `patiently`, after 5 s SIGTERM, after 3 s more all of it is killed; otherwise after half a second. Who waits for an
    /// answer gets `why`.
    boost::asio::awaitable<void> stop(std::string why, bool patiently);
    /// Blocked domains as part of a sentence; empty if there are none.
    [[nodiscard]] std::string blocked_words() const;

private:
    boost::asio::awaitable<StartFailure> failure(Error error, Task const& task);
    void listen();
    void end(Ending ending);

    boost::asio::any_io_executor executor_;
    std::unique_ptr<Process> process_;
    std::shared_ptr<Session> session_;
    Change change_;
    std::optional<Ending> ending_;
    std::vector<std::function<void(Instance const&)>> on_end_;
    std::string given_up_;
    bool killed_ = false, told_ = false; // told: who waited for an answer
};

/// "; its last words: ...", or nothing.
std::string last_words(std::vector<std::string> const& lines);

} // namespace pfar::servers
