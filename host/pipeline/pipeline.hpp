// Pipeline: what stands between a session and every server: one function, in one order.
#pragma once

#include "audit/coalesce.hpp"
#include "audit/event.hpp"
#include "pipeline/approvals.hpp"
#include "pipeline/judge.hpp"
#include "wire/forward.hpp"

namespace pfar::pipeline {

/// A request of a client for one server, never changed from here: what is judged is what is approved is what is sent.
struct Call : wire::Talk {
    StandingPtr standing;
    OfferPtr offer;
    Tool const* tool = nullptr; // of the offer; none: a resource, a prompt or a completion is read
    std::string method;
    std::string subject;        // the tool, the prompt, the URI: for people
    std::string params;         // as the client sent them
    std::string_view arguments; // of params
    bool sends = true;          // something of the session's goes with it
    bool wants_progress = false;
    Approvals::AskClient ask{};
    std::function<void(std::string const& id)> tick{};
    std::shared_ptr<wire::CancelSlot> cancel = std::make_shared<wire::CancelSlot>();
};
using CallPtr = std::shared_ptr<Call const>;

struct Outcome {
    enum class Kind { ok, error, refused, fault }; // error: the tool's own; fault: an error object
    Kind kind;
    std::string payload; // a result, or an error object
};

/// What the house does for the pipeline. [main thread]
struct Means {
    wire::Forward forward;
    std::function<void(audit::Event)> record;
    /// The same for what must not be done without: waits if it is not known lately that the record can be written.
    std::function<boost::asio::awaitable<Result<void>>(audit::Event)> record_first;
    std::function<OfferPtr(std::string const& identity)> current;
    /// A script's word about a call, if it has one; may be empty.
    std::function<std::optional<Meaning>(Call const&)> semantics{};
    /// Before anything else: an error refuses the call, and nothing of its arguments is written down. May be empty.
    std::function<Result<void>(Call const&)> screen{};
    /// What else the owner should know of a call that asks; none: it was agreed to already; an error refuses it without asking. May be empty.
    std::function<Result<std::optional<std::string>>(Call const&)> explain{};
};

class Pipeline {
public:
    Pipeline(boost::asio::any_io_executor const& executor, Means means, ApprovalLimits const& limits = {});
    Pipeline(Pipeline const&) = delete;
    Pipeline& operator=(Pipeline const&) = delete;
    ~Pipeline();

    /// A tool's call. [main thread, as all of it]
    boost::asio::awaitable<Outcome> call(CallPtr call);
    /// A resource, a prompt or a completion.
    boost::asio::awaitable<Outcome> read(CallPtr call);
    /// Why nothing of the session's may go to this server where nobody can be asked; empty if it may.
    [[nodiscard]] std::string keeps_from(Standing const& standing, Offer const& offer) const;
    /// A server's own question has reached the session, or was refused.
    void asked(Call const& call, std::string_view kind, std::string_view outcome);

    Approvals& approvals() { return approvals_; }
    [[nodiscard]] Approvals const& approvals() const { return approvals_; }
    Labels& labels() { return labels_; }
    struct Counts {
        std::uint64_t calls = 0, refused = 0, errors = 0;
    };
    [[nodiscard]] Counts const& counts() const { return counts_; }

private:
    class Entry;
    boost::asio::awaitable<Verdict> settled(CallPtr call, Meaning meaning, Verdict verdict);
    boost::asio::awaitable<Verdict> approve(CallPtr call, Verdict verdict);
    [[nodiscard]] Result<void> may_be_sent(Call const& call) const;
    boost::asio::awaitable<Result<void>> record_first(audit::Event event);
    [[nodiscard]] Result<void> check_arguments(Call const& call) const;
    [[nodiscard]] Meaning meaning_of(Call const& call) const;
    [[nodiscard]] CallFacts facts_of(Call const& call, Meaning const& meaning) const;
    boost::asio::awaitable<Result<wire::Back>> forward(CallPtr call, bool agreed);
    Outcome taken(Call const& call, Entry& entry, Result<wire::Back> back);
    void record_refusal(Entry& entry, Call const& call, std::string_view outcome, std::string_view why);
    void tell_approval(ApprovalRow const& row, std::string_view outcome, std::string_view by);

    Means means_;
    Labels labels_;
    Approvals approvals_;
    audit::Coalescer refusals_;
    std::shared_ptr<boost::asio::steady_timer> summing_; // shared with its handler, which may outlive us
    bool sums_ = false;
    Counts counts_;
    std::uint64_t next_ = 0;
};

/// A result that says isError, with these words.
std::string error_result(std::string_view words);

} // namespace pfar::pipeline
