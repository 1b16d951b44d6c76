// Session: the client's side of MCP towards one server process: initialize, requests with deadlines, progress, cancellation, and what the server
// itself asks.
//
// Payloads are JSON texts as they came; whoever needs a value parses it. The server's own roots/list and ping are answered here. Sampling and
// elicitation are always declared, so that a server shows all it can do; whether somebody can answer is found out when it asks.
#pragma once

#include "base/redact.hpp"
#include "config/server_spec.hpp"
#include "servers/deadlines.hpp"
#include "wire/cancel_slot.hpp"
#include "wire/peer.hpp"

#include <boost/asio/awaitable.hpp>

#include <map>
#include <optional>
#include <utility>

namespace pfar::servers {

/// What a server says about itself.
struct ServerFacts {
    std::string protocol;             // the revision that both speak
    std::string name, version, title; // its own words
    std::string instructions;
    std::string capabilities = "{}"; // JSON

    [[nodiscard]] bool offers(std::string_view capability) const;
};

struct SessionTask {
    std::string server;             // for messages
    std::vector<std::string> roots; // paths as seen inside
    std::string access = "{}";      // JSON: the rest of the resolved policy, told in _meta["pfar/access"]
    config::Timeouts timeouts;
    /// Of what servers were given, as it is known now; may be empty, or give null.
    std::function<std::shared_ptr<base::Redactor const>()> redactor{};
};

/// What came back. `payload` is a result or an error object, JSON.
struct Answer {
    bool is_error = false;
    std::string payload;
};

class Session : public std::enable_shared_from_this<Session> {
public:
    struct Heard {
        std::function<void(std::string_view kind)> list_changed; // "tools", "resources", "prompts"
        std::function<void(wire::Message const&)> notification;  // others than progress and list_changed
        std::function<std::string(wire::Message const&)>
            request;                                     // sampling, elicitation: empty, or why nobody can answer
        std::function<void(std::string const&)> trouble; // what it said wrong
        std::function<void()> ended;
    };
    using Progress = std::function<void(std::string_view params)>;
    using Answered = std::function<void(Result<Answer>)>;

    struct Question {
        std::string method, params; // params may have the token of new_token() in their _meta
        std::chrono::milliseconds wait{},
            most{};              // progress renews `wait`, up to `most` in all; 0: as the server's file says
        std::uint64_t token = 0; // 0: no progress
        Progress progress{};
        std::shared_ptr<wire::CancelSlot> cancel{};
    };

    /// Whoever it calls may drop it: it goes when that has returned.
    static std::shared_ptr<Session> make(boost::asio::any_io_executor const& executor, wire::Ends ends,
                                         SessionTask task);

    /// Within timeouts.start, with everything that the server offers to be found out afterwards. [the executor's thread, as all of it]
    boost::asio::awaitable<Result<void>> initialize(Heard heard);
    [[nodiscard]] ServerFacts const& facts() const { return facts_; }
    [[nodiscard]] config::Timeouts const& timeouts() const { return task_.timeouts; }

    /// Errors: timeout, unavailable (it ended, or is overrun). A cancelled question is answered with Errc::refused.
    Result<std::uint64_t> ask(Question question, Answered answered);
    boost::asio::awaitable<Result<Answer>> ask(Question question);
    /// Tells the server, and answers whoever waits.
    void cancel(std::uint64_t number, std::string_view why);
    std::uint64_t new_token() { return ++tokens_; }
    Result<void> tell(std::string_view method, std::string_view params) { return peer_.tell(method, params); }
    wire::Peer& peer() { return peer_; }

    /// Those of ours that wait, without pings.
    [[nodiscard]] std::size_t in_flight() const { return waiting_.size() - pings_; }
    /// True if it answers in time, whatever it says.
    boost::asio::awaitable<bool> ping(std::chrono::milliseconds wait);

    /// Everything that waits is answered with this, and nothing more is heard. Due once `ended` was heard, when it is known why.
    void close(Error const& why);

private:
    struct Waiting {
        Answered answered;
        Progress progress;
        std::uint64_t token;
        std::chrono::milliseconds wait;
        Deadlines::Clock::time_point last; // it is not renewed beyond this
        std::string method;
        std::uint64_t troubles; // before it
        bool doubted = false;   // a line was left out, and this was probably its answer
    };

    Session(boost::asio::any_io_executor const& executor, wire::Ends ends, SessionTask task);
    void listen(Heard heard);
    void hear_request(wire::Message const& message);
    void hear_notification(wire::Message const& message);
    void hear_progress(std::string_view params);
    void settle(std::uint64_t number, Result<Answer> answer);
    void time_out(std::uint64_t number);
    void doubt_the_only_one();
    [[nodiscard]] std::string too_late(Waiting const& call) const;
    Result<void> take_facts(std::string const& result);
    [[nodiscard]] std::string initialize_params() const;

    SessionTask task_;
    boost::asio::any_io_executor executor_;
    wire::Peer peer_;
    Heard heard_;
    ServerFacts facts_;
    std::map<std::uint64_t, Waiting> waiting_;         // by the peer's number
    std::map<std::uint64_t, std::uint64_t> tokens_of_; // token -> number
    Deadlines deadlines_;
    std::uint64_t tokens_ = 0, troubles_ = 0;
    std::string trouble_; // the last one
    std::size_t pings_ = 0;
};

} // namespace pfar::servers
