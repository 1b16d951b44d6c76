// Approvals: the owner's yes to one call, wherever it comes from: the client itself, a terminal, the queue.
//
// A yes is bound to session, server, tool, arguments, pin and policy, for one execution within ten minutes. A call waits for it 45 seconds, since
// clients give up after 60; the same call, repeated, finds the yes that came meanwhile. Silence is no.
#pragma once

#include "pipeline/standing.hpp"
#include "wire/cancel_slot.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <list>

namespace pfar::pipeline {

struct ApprovalLimits {
    std::chrono::milliseconds wait = std::chrono::seconds(45), tick = std::chrono::seconds(5),
                              open = std::chrono::minutes(10);
    std::size_t of_session = 32, all = 1024;
};

/// What is asked, as people are shown it.
struct ApprovalRow {
    std::string id, session, server, tool, arguments, why; // arguments: JSON
    std::chrono::seconds expires_in{};
    bool once = false; // a yes for the session counts for one call
};

enum class Answer { yes, session, no };
inline constexpr std::string_view not_open =
    "there is no open approval of this id; pfar approvals lists those that are";

class Approvals {
public:
    using Clock = std::chrono::steady_clock;
    /// How the client itself is asked; it answers once, or never. What it returns withdraws the question.
    using AskClient = std::function<std::function<void()>(ApprovalRow const&, std::function<void(Answer)>)>;

    struct Question {
        StandingPtr standing;
        OfferPtr offer;
        std::string subject, pin; // the tool, and what the owner agreed to
        std::string_view arguments, why;
        std::string sent;                                  // all that will be sent: what a yes is for
        AskClient ask{};                                   // may be empty
        std::function<void(std::string const& id)> tick{}; // while it waits; may be empty
        std::shared_ptr<wire::CancelSlot> cancel;
    };
    struct Decision {
        enum class Kind { yes, no, waiting, withdrawn, too_many };
        Kind kind;
        std::string id{};
    };
    /// Something to write down about an approval: asked, approved, denied, expired, withdrawn.
    using Told = std::function<void(ApprovalRow const&, std::string_view outcome, std::string_view by)>;

    Approvals(boost::asio::any_io_executor executor, Told told, ApprovalLimits limits = {});
    Approvals(Approvals const&) = delete;
    Approvals& operator=(Approvals const&) = delete;
    ~Approvals();

    /// [main thread, as all of it]
    boost::asio::awaitable<Decision> settle(Question question);

    /// By the owner. Unknown, foreign, used and expired ids have one and the same error.
    Result<ApprovalRow> decide(std::string const& id, Answer answer, std::string_view by);
    [[nodiscard]] std::vector<ApprovalRow> rows() const;
    /// The session is gone, and everything of it here.
    void close_session(std::string const& session);
    [[nodiscard]] bool any() const { return !open_.empty(); }
    /// Called whenever rows() may have changed; may be empty.
    std::function<void()> changed{};

private:
    struct Open {
        std::string id, binding;
        StandingPtr standing;
        OfferPtr offer;
        std::string tool, pin, arguments, why;
        Clock::time_point until;
        enum class State { asked, approved } state = State::asked;
        bool attended = false;            // a call waits for it
        std::function<void()> withdraw{}; // from the client
        std::function<void()> wake{};     // the call that waits
        Decision::Kind outcome = Decision::Kind::waiting;

        [[nodiscard]] bool is_asked() const { return state == State::asked && outcome == Decision::Kind::waiting; }
    };
    using OpenPtr = std::shared_ptr<Open>;
    struct Grant { // for a session
        std::string session, identity, tool, pin;
        base::Label label;
        base::Taint taint;
    };

    [[nodiscard]] bool granted(Question const& question);
    OpenPtr find(std::string const& binding);
    Result<OpenPtr> open(Question const& question, std::string binding);
    void ask(OpenPtr const& one, Question const& question);
    boost::asio::awaitable<Decision> wait(OpenPtr one, Question question);
    void settle(Open& one, Answer answer, std::string_view by);
    void drop(OpenPtr const& one, std::string_view outcome);
    void watch();
    ApprovalRow row(Open const& one) const;
    static bool is_once(Open const& one);

    boost::asio::any_io_executor executor_;
    Told told_;
    ApprovalLimits limits_;
    std::list<OpenPtr> open_; // oldest first
    std::vector<Grant> grants_;
    std::shared_ptr<boost::asio::steady_timer> expiry_;
};

} // namespace pfar::pipeline
