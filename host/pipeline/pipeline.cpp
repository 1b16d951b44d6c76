// The order is security, so it stands in one place: call() and read() below.
#include "pipeline/pipeline.hpp"

#include "base/text.hpp"
#include "pipeline/entry.hpp"
#include "pipeline/output.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"

#include <fmt/format.h>

#include <set>

namespace pfar::pipeline {
namespace {

using base::Semantics;

std::string refusal(Call const& call, std::string_view why) {
    return fmt::format("pfar did not run {} of {}: {}.", base::printable(call.subject), call.offer->name, why);
}

std::string waiting_words(Call const& call, std::string const& id) {
    return fmt::format(
        "{} of {} waits for the owner's approval (id {}). Tell the user to approve it (pfar approve {}, or the owner's "
        "page), "
        "then repeat the same call with the same arguments; it is open for ten minutes. Nothing has been run",
        base::printable(call.subject), call.offer->name, id, id);
}

/// A refusal reaches a tool's caller as a result that a model can read, and whoever reads a resource as an error.
Outcome refused(Call const& call, std::string const& words) {
    if (call.tool != nullptr) return {Outcome::Kind::refused, error_result(words)};
    return {Outcome::Kind::fault,
            fmt::format(R"({{"code":{},"message":{}}})", wire::server_error, wire::quoted(words))};
}

} // namespace

std::string error_result(std::string_view words) {
    return fmt::format(R"({{"content":[{{"type":"text","text":{}}}],"isError":true}})", wire::quoted(words));
}

Pipeline::Pipeline(boost::asio::any_io_executor const& executor, Means means, ApprovalLimits const& limits)
    : means_(std::move(means)), approvals_(
                                    executor,
                                    [this](ApprovalRow const& row, std::string_view outcome, std::string_view by) {
                                        tell_approval(row, outcome, by);
                                    },
                                    limits),
      summing_(std::make_shared<boost::asio::steady_timer>(executor)) {}

Pipeline::~Pipeline() {
    summing_->cancel();
}

boost::asio::awaitable<Outcome> Pipeline::call(CallPtr call) { // the only place that knows the order
    ++counts_.calls;
    if (auto const fit = means_.screen ? means_.screen(*call) : Result<void>(); !fit) {
        ++counts_.refused;
        asked(*call, "call", "refused");
        co_return refused(*call, refusal(*call, fit.error().what));
    }
    Entry entry(means_, *call, ++next_);
    auto const refuse = [&](std::string_view outcome, std::string const& why) {
        ++counts_.refused;
        record_refusal(entry, *call, outcome, why);
        return refused(*call, refusal(*call, why));
    };

    if (auto const fits = check_arguments(*call); !fits)
        co_return refuse("invalid", "its arguments do not fit: " + fits.error().what);
    auto const meaning = meaning_of(*call); // a hint is a claim, not a fact
    auto const semantics = meaning.semantics;
    auto verdict = judge(facts_of(*call, meaning));
    if (verdict.kind == Verdict::Kind::ask) verdict = co_await settled(call, meaning, std::move(verdict));
    if (verdict.kind == Verdict::Kind::ask) { // nobody has answered yet
        record_refusal(entry, *call, "waiting", verdict.why);
        co_return refused(*call, verdict.why);
    }
    if (verdict.kind == Verdict::Kind::refuse) co_return refuse("refused", verdict.why);
    auto sending = entry.sending(semantics);
    if (semantics == Semantics::read)
        means_.record(std::move(sending)); // it is run even if the record cannot be written
    else {
        auto const written = co_await record_first(std::move(sending));
        if (!written) co_return refuse("refused", written.error().what);
    }
    auto const may = may_be_sent(*call); // again: much may have happened while a person thought
    if (!may) co_return refuse("refused", may.error().what);

    if (semantics == Semantics::write) labels_.written(*call->standing, *call->offer);
    labels_.seen(*call->standing, *call->offer);        // progress and logs come before the result
    auto back = co_await forward(call, verdict.agreed); // redacted: a result or an error, both came from the server
    co_return taken(*call, entry, std::move(back));
}

boost::asio::awaitable<Outcome> Pipeline::read(CallPtr call) {
    Entry entry(means_, *call, ++next_);
    Meaning const reads{Semantics::read};
    auto verdict = judge(facts_of(*call, reads));
    bool const may_ask = call->method != "completion/complete"; // nobody wants to be asked at every key
    if (verdict.kind == Verdict::Kind::ask && may_ask) verdict = co_await settled(call, reads, std::move(verdict));
    auto const may =
        verdict.kind == Verdict::Kind::allow ? may_be_sent(*call) : Result<void>(fail(Errc::refused, verdict.why));
    if (!may) {
        ++counts_.refused;
        record_refusal(entry, *call, verdict.kind == Verdict::Kind::ask ? "waiting" : "refused", may.error().what);
        co_return refused(*call, refusal(*call, may.error().what));
    }
    means_.record(entry.sending(Semantics::read));
    labels_.seen(*call->standing, *call->offer);
    auto back = co_await forward(call, verdict.agreed);
    co_return taken(*call, entry, std::move(back));
}

Result<void> Pipeline::check_arguments(Call const& call) const {
    return call.tool->input.get().check(call.arguments, Duplicates::refuse);
}

Meaning Pipeline::meaning_of(Call const& call) const {
    auto const rules = call.offer->rules.find(call.tool->name);
    if (rules != call.offer->rules.end() && rules->second.semantics) return {*rules->second.semantics};
    if (!call.tool->pinned) return {Semantics::write};
    auto scripted = means_.semantics ? means_.semantics(call) : std::nullopt;
    if (scripted) return std::move(*scripted);
    return {call.tool->says_read_only ? Semantics::read : Semantics::write};
}

CallFacts Pipeline::facts_of(Call const& call, Meaning const& meaning) const {
    CallFacts out;
    out.server = call.offer->name, out.tool = call.subject;
    out.meaning = meaning;
    out.pinned = call.tool == nullptr || call.tool->pinned;
    out.approve = call.tool == nullptr ? base::Approve::never : call.offer->approve_of(call.tool->name);
    out.write_down = call.offer->write_down;
    out.session_label = call.standing->label, out.label_from = call.standing->label_from;
    out.server_label = call.offer->label;
    out.taint = call.standing->taint, out.taint_from = call.standing->taint_from;
    out.sends = call.sends;
    return out;
}

/// Judged, and asked about until nothing is left to ask: what the session has seen while somebody thought counts too. Still `ask` if nobody
/// has answered in time.
boost::asio::awaitable<Verdict> Pipeline::settled(CallPtr call, Meaning meaning, Verdict verdict) {
    std::set<std::string> reasons;
    bool agreed = false;
    while (verdict.kind == Verdict::Kind::ask && reasons.insert(verdict.why).second) {
        auto answer = co_await approve(call, std::move(verdict));
        if (answer.kind != Verdict::Kind::allow) co_return answer;
        agreed = agreed || answer.agreed;
        verdict = judge(facts_of(*call, meaning));
    }
    if (verdict.kind == Verdict::Kind::ask) verdict.kind = Verdict::Kind::allow; // that was agreed to
    verdict.agreed = agreed;
    co_return verdict;
}

/// Still `ask` if nobody has answered in time.
boost::asio::awaitable<Verdict> Pipeline::approve(CallPtr call, Verdict verdict) {
    using Kind = Approvals::Decision::Kind;
    auto const more = means_.explain ? means_.explain(*call) : Result<std::optional<std::string>>(std::string());
    if (!more) co_return Verdict{Verdict::Kind::refuse, more.error().what};
    if (!*more) co_return Verdict();
    if (!(*more)->empty()) verdict.why = **more + "; " + verdict.why;
    Approvals::Question question{
        call->standing,  call->offer, call->subject, call->tool != nullptr ? call->tool->pin : "",
        call->arguments, verdict.why, call->sent(0), call->ask,
        call->tick,      call->cancel};
    auto const decision = co_await approvals_.settle(std::move(question));
    switch (decision.kind) {
    case Kind::yes:
        co_return Verdict{Verdict::Kind::allow, "", true};
    case Kind::waiting:
        co_return Verdict{Verdict::Kind::ask, waiting_words(*call, decision.id)};
    case Kind::no:
        co_return Verdict{Verdict::Kind::refuse, "the owner said no; do not repeat it unless the user asks for it"};
    case Kind::withdrawn:
        co_return Verdict{Verdict::Kind::refuse, "it was withdrawn before the owner answered"};
    case Kind::too_many:
        break;
    }
    co_return Verdict{Verdict::Kind::refuse,
                      "too many calls wait for the owner's approval; wait until some are answered"};
}

Result<void> Pipeline::may_be_sent(Call const& call) const {
    if (!call.standing->open) return fail(Errc::unavailable, "its session has ended");
    if (call.cancel->cancelled()) return fail(Errc::refused, "it was cancelled");
    auto const now = means_.current(call.offer->identity);
    if (now == call.offer) return {};
    auto const* const tool = now && call.tool != nullptr ? now->tool(call.tool->name) : nullptr;
    bool const same_tool = call.tool == nullptr || (tool != nullptr && tool->pin == call.tool->pin);
    if (now && same_tool && now->policy == call.offer->policy) return {};
    return fail(Errc::conflict, "the tool or the owner's rules for it have changed meanwhile; call it again");
}

boost::asio::awaitable<Result<void>> Pipeline::record_first(audit::Event event) {
    auto const written = co_await means_.record_first(std::move(event));
    if (written) co_return Result<void>();
    co_return fail(Errc::unavailable,
                   "the audit record cannot be written, and nothing that writes is run without it: " +
                       written.error().what);
}

boost::asio::awaitable<Result<wire::Back>> Pipeline::forward(CallPtr call, bool agreed) {
    wire::Forwarding task;
    task.identity = call->offer->identity;
    task.session = call->standing->id;
    task.method = call->method;
    if (call->tool != nullptr) task.tool = call->tool->name;
    task.progress = call->wants_progress;
    task.agreed = agreed;
    task.cancel = call->cancel;
    task.talk = std::move(call);
    return means_.forward(std::move(task));
}

/// A session that is refused again and again fills no disk.
void Pipeline::record_refusal(Entry& entry, Call const& call, std::string_view outcome, std::string_view why) {
    if (refusals_.admit(call.standing->id, std::chrono::system_clock::now())) return entry.over(outcome, why, "");
    if (std::exchange(sums_, true)) return;
    summing_->expires_after(std::chrono::milliseconds(1100));
    summing_->async_wait([this, timer = summing_](boost::system::error_code const& error) {
        if (error) return;
        sums_ = false;
        for (auto& event : refusals_.due(std::chrono::system_clock::now())) means_.record(std::move(event));
    });
}

/// From here on the session has seen it.
Outcome Pipeline::taken(Call const& call, Entry& entry, Result<wire::Back> back) {
    labels_.seen(*call.standing, *call.offer); // also by what it said before it died
    if (!back) {
        ++counts_.errors;
        bool const cancelled = call.cancel->cancelled();
        entry.over(cancelled                            ? "cancelled"
                   : back.error().code == Errc::timeout ? "timeout"
                                                        : "error",
                   back.error().what, "");
        if (call.tool != nullptr) return {Outcome::Kind::error, error_result(back.error().what)};
        return {Outcome::Kind::fault,
                fmt::format(R"({{"code":{},"message":{}}})", wire::internal_error, wire::quoted(back.error().what))};
    }
    if (back->is_error) {
        if (back->amended) back->payload = back->amended(std::move(back->payload));
        ++counts_.errors;
        entry.over("error", wire::error_words(back->payload), back->payload);
        return {Outcome::Kind::fault, std::move(back->payload)};
    }
    auto output = read_output(back->payload);
    if (call.tool != nullptr && output && output->says_error && back->amended) {
        back->payload = back->amended(std::move(back->payload));
        output = read_output(back->payload);
    }
    auto const fits = !output                ? Result<void>(output.error())
                      : call.tool == nullptr ? Result<void>()
                                             : check_output(*call.tool, *output);
    if (!fits) {
        ++counts_.errors;
        entry.over("withheld", fits.error().what, back->payload);
        auto const words = fmt::format("pfar withheld the result of {} of {}: {}.", base::printable(call.subject),
                                       call.offer->name, fits.error().what);
        return call.tool == nullptr ? refused(call, words) : Outcome{Outcome::Kind::error, error_result(words)};
    }
    bool const failed = call.tool != nullptr && output->says_error;
    entry.over(failed ? "error" : "ok", "", back->payload);
    if (failed) ++counts_.errors;
    put_label(back->payload, *output, labels_.of(*call.offer));
    return {failed ? Outcome::Kind::error : Outcome::Kind::ok, std::move(back->payload)};
}

std::string Pipeline::keeps_from(Standing const& standing, Offer const& offer) const {
    CallFacts facts;
    facts.server = offer.name, facts.server_label = offer.label;
    facts.session_label = standing.label, facts.label_from = standing.label_from;
    facts.approve = base::Approve::never, facts.write_down = offer.write_down;
    return judge(facts).why;
}

void Pipeline::asked(Call const& call, std::string_view kind, std::string_view outcome) {
    if (outcome == "asked") labels_.seen(*call.standing, *call.offer);
    means_.record({std::string(kind),
                   {{"session", call.standing->id},
                    {"server", call.offer->name},
                    {"tool", call.subject.substr(0, 1000)},
                    {"outcome", outcome}}});
}

void Pipeline::tell_approval(ApprovalRow const& row, std::string_view outcome, std::string_view by) {
    audit::Event event{"approval",
                       {{"session", row.session},
                        {"server", row.server},
                        {"tool", row.tool},
                        {"outcome", outcome},
                        {"id", row.id},
                        {"why", row.why}}};
    if (!by.empty()) event.details["by"] = by;
    means_.record(std::move(event));
}

} // namespace pfar::pipeline
