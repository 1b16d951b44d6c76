// Server: one server file and everything that lives because of it: its processes, its listing, its log, and how it is.
//
// A coroutine keeps it (keep.cpp): starts it, finds out what it offers, watches it, starts it again. A stateless server, and one that every session
// has for itself, is only looked at that way; their processes come and go with the calls (ask.cpp).
#pragma once

#include "servers/crash_count.hpp"
#include "servers/listing.hpp"
#include "servers/pool.hpp"
#include "servers/server_log.hpp"
#include "servers/start_gate.hpp"
#include "servers/window.hpp"
#include "wire/forward.hpp"

#include <deque>
#include <set>

namespace pfar::servers {

enum class State : std::uint8_t { starting, running, backoff, disabled, stopped, failed };
inline constexpr base::Spelling<State, 6> state_words{{{"starting", State::starting},
                                                       {"running", State::running},
                                                       {"backoff", State::backoff},
                                                       {"disabled", State::disabled},
                                                       {"stopped", State::stopped},
                                                       {"failed", State::failed}}};

using File = std::shared_ptr<config::SurveyedFile const>;

/// Something that the owner should hear of: a start, a crash.
struct Happening {
    std::string kind, outcome, words;
};

class Server;

struct Notice {
    std::string session, uri, method;
    std::string_view params;
};

/// What all servers of a host have in common.
struct Common {
    boost::asio::any_io_executor executor;
    StartProcess start;
    std::shared_ptr<StartGate> gate;
    std::shared_ptr<Pool> pool;
    std::filesystem::path cache, logs;
    /// What a listing depends on: the file, the command, its package. [may block]
    std::function<std::string(config::SurveyedFile const&)> fingerprint;
    /// Equal for processes that may do exactly the same. [may block]
    std::function<Result<std::string>(config::SurveyedFile const&, std::string const& tool)> policy_key;
    std::function<void(Server const&, Happening const&)> told;
    std::function<void(Server const&, std::string_view kind)> changed; // "tools", "resources", "prompts", "state"
    /// A notification for clients: of one session, or (empty) of all that see this server; `uri`: only of those who subscribed. May be empty.
    std::function<void(Server const&, Notice const&)> notified{};
};

struct Told {
    Answer answer;
    /// Of an error that says this: what may be behind it, with the remedy; empty if nothing speaks for it. May be empty itself.
    std::function<std::string(std::string_view said)> hint{};
};

/// Where it last failed, as SPEC 6 says it.
struct Failure {
    std::string where, words; // spawn, handshake, tool
};

struct ProcessLine {
    pid_t pid;
    std::string what; // "shared", "session X"
};

class Server : public std::enable_shared_from_this<Server> {
public:
    using Clock = std::chrono::steady_clock;

    /// `slug`: what its files are called. `disabled`: why it is, from an earlier life; empty: it is not. [the executor's thread, as all of it]
    Server(std::shared_ptr<Common const> common, File file, std::string slug, std::string disabled);
    void begin();

    [[nodiscard]] std::string const& name() const { return file_->found.name; }
    [[nodiscard]] File const& file() const { return file_; }
    [[nodiscard]] config::ServerSpec const& spec() const { return *file_->spec; }
    [[nodiscard]] std::string const& slug() const { return slug_; }
    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] std::string const& reason() const { return reason_; }
    [[nodiscard]] std::string const& note() const { return note_; }
    [[nodiscard]] std::string const& disabled() const { return disabled_; }
    [[nodiscard]] std::uint64_t restarts() const { return restarts_; }
    [[nodiscard]] std::uint64_t crashes() const { return crashes_; }
    [[nodiscard]] std::string const& last_exit() const { return last_exit_; }
    [[nodiscard]] std::optional<Failure> const& failure() const { return failure_; }
    [[nodiscard]] Clock::time_point since() const { return since_; }
    [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
    [[nodiscard]] ServerLog& log() { return log_; }
    /// What it offers now: nothing after a crash; before it is up, what is known from the last time.
    [[nodiscard]] std::shared_ptr<Listing const> const& listing() const { return listing_; }
    [[nodiscard]] bool listing_is_old() const { return listing_is_old_; }
    /// Of its process, or of the last one; null before the first.
    [[nodiscard]] std::shared_ptr<Process::Facts const> const& facts() const { return facts_; }
    [[nodiscard]] pid_t pid() const { return instance_ ? instance_->process().facts().pid : 0; }
    [[nodiscard]] std::vector<ProcessLine> processes() const;
    [[nodiscard]] std::vector<BlockedDomain> blocked() const;

    boost::asio::awaitable<Result<Told>> ask(wire::Forwarding ask);
    /// How much it is to log, as MCP has it; for all of its processes, also those to come.
    void set_log_level(std::string const& level);
    /// Starts one that waits for its first call; until it runs, or does not.
    boost::asio::awaitable<void> wake();
    /// A session that ended takes its own process along.
    void close_session(std::string const& session);

    /// By the owner: also one that is disabled, stopped or failed.
    void restart(std::string const& why);
    void disable(std::string why);
    /// The file as it is now. What cannot change in a running process is a reason to start it anew, once its calls have drained.
    void update(File file);
    /// The file can no longer be used; what runs goes on.
    void keep_old(std::string note) { note_ = std::move(note); }
    /// The vault as it is now: entries and when each was set.
    void vault_changed(std::map<std::string, std::string> const& entries);
    [[nodiscard]] std::size_t waiting_processes() const { return common_->pool->of_server(slug_); }
    /// Until none of it runs.
    boost::asio::awaitable<void> resting(Clock::time_point late);
    /// Until it runs, or does not.
    boost::asio::awaitable<void> settled(Clock::time_point late);
    /// Everything of it ends.
    boost::asio::awaitable<void> close(std::string why);

private:
    struct OwnProcess { // a session's
        std::shared_ptr<Instance> instance;
        bool starting = false;
        Clock::time_point used{};
    };

    // keep.cpp
    boost::asio::awaitable<void> keep();
    boost::asio::awaitable<void> live();
    boost::asio::awaitable<void> watch();
    boost::asio::awaitable<void> not_started(StartFailure failure);
    boost::asio::awaitable<void> crashed(std::string words);
    boost::asio::awaitable<void> rest_until(Clock::time_point late);
    boost::asio::awaitable<void> end_instance();
    boost::asio::awaitable<Result<void>> look();
    boost::asio::awaitable<void> ping(std::shared_ptr<Session> session);
    [[nodiscard]] bool wanted() const;
    [[nodiscard]] bool disturbed() const { return closing_ || restart_ || !wanted(); }
    std::optional<std::chrono::seconds> count_crash(std::string const& words);
    void set_state(State state, std::string reason = "");
    void set_listing(std::shared_ptr<Listing const> listing, bool old);
    void hear_end(Instance& instance);
    void interrupt(char const* why);
    void tell(std::string kind, std::string outcome, std::string words) const;

    // clients.cpp
    struct Active { // a request of a client that is being worked on
        Instance const* instance;
        std::string session;
        std::shared_ptr<wire::Talk const> talk;
    };
    class Turn;
    using InstanceSlot = std::shared_ptr<std::weak_ptr<Instance>>;
    std::string hear_request(InstanceSlot const& slot, wire::Message const& message);
    void hear_notification(InstanceSlot const& slot, wire::Message const& message);
    void hear_cancelled(Instance const& instance, std::string_view params);
    void take_back_requests(Instance const& instance);
    void pass_on(Instance const& instance, wire::Message const& message);
    [[nodiscard]] bool is_free_for(std::string const& session) const;
    boost::asio::awaitable<bool> wait_for_turn(std::string session, std::shared_ptr<wire::CancelSlot> cancel);
    void begin_talk(Instance& instance);
    boost::asio::awaitable<Result<Told>> subscribe(std::shared_ptr<Instance> instance, wire::Forwarding ask);
    void unsubscribe_all(std::string const& session);

    // ask.cpp
    [[nodiscard]] Instance::Task task_for(std::string const& tool);
    [[nodiscard]] bool is_up() const;
    boost::asio::awaitable<Result<void>> ready();
    boost::asio::awaitable<void> pause(std::chrono::milliseconds time);
    void make_room();
    boost::asio::awaitable<Result<std::shared_ptr<Instance>>> instance_for(std::string session);
    boost::asio::awaitable<Result<std::shared_ptr<Instance>>> fresh(std::string tool);
    boost::asio::awaitable<Result<Told>> ask_shared(wire::Forwarding ask);
    boost::asio::awaitable<Result<Told>> ask_instance(std::shared_ptr<Instance> instance, wire::Forwarding ask);
    boost::asio::awaitable<void> after_call(std::shared_ptr<Instance> instance, std::string key, std::string tool);
    boost::asio::awaitable<void> refill(std::string key, std::string tool);
    [[nodiscard]] std::string table_for(std::string const& tool) const;
    [[nodiscard]] std::string policy_of(std::string const& tool) const;
    [[nodiscard]] bool is_shared() const { return spec().stateful && spec().share == base::Share::host; }
    [[nodiscard]] Error unavailable() const;
    void look_at_package();
    void add_blocked(std::vector<BlockedDomain> const& more);

    std::shared_ptr<Common const> common_;
    File file_;
    std::string slug_;
    ServerLog log_;
    Change change_;
    State state_ = State::stopped;
    std::string reason_, note_, disabled_, last_exit_, fingerprint_;
    std::optional<Failure> failure_;
    Clock::time_point since_ = Clock::now(), looked_{};
    CrashCount count_;
    std::uint64_t restarts_ = 0, crashes_ = 0, said_before_ = 0;
    std::shared_ptr<Instance> instance_;
    std::weak_ptr<Instance> starting_; // what the keeper has begun and is not yet instance_
    std::shared_ptr<Process::Facts const> facts_;
    std::shared_ptr<Listing const> listing_;
    std::map<std::string, OwnProcess> own_;   // by session
    std::map<std::string, std::string> keys_; // of policies, by tool
    std::map<std::string, std::size_t> filling_;
    std::map<std::string, BlockedDomain> blocked_; // of processes that have ended
    std::vector<std::weak_ptr<Instance>> living_;  // all of them
    std::shared_ptr<Window> window_;
    std::vector<Active const*> active_;
    std::map<std::string, std::shared_ptr<wire::CancelSlot>> requests_; // of its own, by process and id
    std::map<std::string, std::set<std::string>> subscribers_;          // by URI: sessions
    std::deque<std::uint64_t> line_;                                    // who waits for a turn
    std::uint64_t tickets_ = 0;
    std::string log_level_;
    std::size_t in_flight_ = 0, missed_ = 0;
    bool asks_clients_ = false; // it has asked one once: from then on it has one session at a time
    bool listing_is_old_ = false, woken_ = false, restart_ = false, drain_ = false, closing_ = false, closed_ = false,
         retrying_ = false, lists_changed_ = false, pinging_ = false, kept_ = false;
};

} // namespace pfar::servers
