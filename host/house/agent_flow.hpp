// AgentFlow: a conversation that an agent began: a process of its own that runs the flow, and whoever answers its questions.
//
// It outlives the call that began it: a person needs longer for a token than a client waits. The next call of the same kind finds it again.
#pragma once

#include "base/fd.hpp"
#include "flows/talk.hpp"
#include "spawn/launch.hpp"
#include "wire/line_stream.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>

#include <filesystem>

namespace pfar::house {

class AgentFlow : public std::enable_shared_from_this<AgentFlow> {
public:
    using Clock = std::chrono::steady_clock;

    /// [main thread, as all of it]
    static Result<std::shared_ptr<AgentFlow>> begin(boost::asio::any_io_executor const& executor,
                                                    std::string const& flow, boost::json::object const& input);
    AgentFlow(AgentFlow const&) = delete;
    AgentFlow& operator=(AgentFlow const&) = delete;
    ~AgentFlow();

    /// What it said since the last time.
    std::vector<std::string> take_said() { return std::exchange(said_, {}); }
    [[nodiscard]] std::string const& at_work() const { return progress_; }
    /// What it wants to know; none while it works. The number tells one question from the next.
    [[nodiscard]] std::optional<flows::Question> const& question() const { return question_; }
    [[nodiscard]] std::uint64_t number() const { return number_; }
    void answer(std::string const& text);
    void answer(Secret const& secret);
    /// The person gave up, or what else `why` says: it undoes what it did, and ends.
    void cancel(std::string why = {});
    [[nodiscard]] bool ended() const { return ended_; }
    [[nodiscard]] std::string const& outcome() const { return outcome_; } // "done", "failed", "cancelled"

    /// Until something has changed, or the time has come.
    boost::asio::awaitable<void> change(Clock::time_point late);
    /// Wakes whoever waits in change().
    void wake() { changed_.cancel(); }

private:
    explicit AgentFlow(boost::asio::any_io_executor const& executor) : changed_(executor) {}
    void hear(std::string_view line);
    void end();

    std::shared_ptr<wire::LineStream> stream_;
    boost::asio::steady_timer changed_;
    std::vector<std::string> said_;
    std::string progress_, outcome_;
    std::optional<flows::Question> question_;
    std::uint64_t number_ = 0;
    bool ended_ = false;
};

/// Has what killed conversations left undone, by a process of its own; false if there is nothing. [main thread]
bool clear_after_flows(boost::asio::any_io_executor const& executor, std::filesystem::path const& home);

/// A question as JSON, as it goes between the two processes.
boost::json::object question_json(flows::Question const& question);
flows::Question question_in(boost::json::object const& json);

} // namespace pfar::house
