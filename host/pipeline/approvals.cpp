#include "pipeline/approvals.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "pipeline/canonical.hpp"
#include "wire/message.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace pfar::pipeline {
namespace {

constexpr std::size_t most_kept = 64U << 10U, most_beginning = 4096;

/// Short enough to type. It is no secret: only the owner can use it.
std::string new_id() {
    static constexpr std::string_view letters = "abcdefghjkmnpqrstuvwxyz23456789";
    std::random_device random;
    std::string out;
    for (int i = 0; i < 8; ++i) out += letters[random() % letters.size()];
    return out;
}

/// What may be long is shown by its beginning; the yes is for all of it.
std::string kept(std::string_view arguments) {
    if (arguments.size() <= most_kept) return std::string(arguments);
    return fmt::format(R"({{"beginning":{},"bytes":{}}})", wire::quoted(base::whole_text(arguments, most_beginning)),
                       arguments.size());
}

std::string binding_of(Approvals::Question const& question) {
    return base::sha256(fmt::format(
        "{}\n{}\n{}\n{}\n{}\n{}\n{}", question.why, question.standing->id, question.offer->identity, question.subject,
        base::sha256(canonical_params(question.sent)), question.pin, question.offer->policy));
}

} // namespace

Approvals::Approvals(boost::asio::any_io_executor executor, Told told, ApprovalLimits limits)
    : executor_(std::move(executor)), told_(std::move(told)), limits_(limits),
      expiry_(std::make_shared<boost::asio::steady_timer>(executor_)) {}

Approvals::~Approvals() {
    expiry_->cancel();
}

ApprovalRow Approvals::row(Open const& one) const {
    auto const left = std::chrono::duration_cast<std::chrono::seconds>(one.until - Clock::now());
    return {one.id,
            one.standing->id,
            one.offer->name,
            one.tool,
            one.arguments,
            one.why,
            std::max(left, std::chrono::seconds(0)),
            is_once(one)};
}

std::vector<ApprovalRow> Approvals::rows() const {
    std::vector<ApprovalRow> out;
    for (auto const& one : open_)
        if (one->state == Open::State::asked) out.push_back(row(*one));
    return out;
}

/// One for the session lapses when label or taint rise, or the tool becomes another.
bool Approvals::granted(Question const& question) {
    auto const& standing = *question.standing;
    auto const found = std::find_if(grants_.begin(), grants_.end(), [&](auto const& grant) {
        return grant.session == standing.id && grant.identity == question.offer->identity &&
               grant.tool == question.subject;
    });
    if (found == grants_.end()) return false;
    if (found->label >= standing.label && found->taint >= standing.taint && found->pin == question.pin) return true;
    grants_.erase(found);
    return false;
}

/// Of this very call, and no other call waits for it.
Approvals::OpenPtr Approvals::find(std::string const& binding) {
    auto const found = std::find_if(open_.begin(), open_.end(), [&](auto const& one) {
        return one->binding == binding && !one->attended && one->until > Clock::now();
    });
    return found == open_.end() ? nullptr : *found;
}

Result<Approvals::OpenPtr> Approvals::open(Question const& question, std::string binding) {
    auto const of_session =
        std::count_if(open_.begin(), open_.end(), [&](auto const& one) { return one->standing == question.standing; });
    if (open_.size() >= limits_.all || static_cast<std::size_t>(of_session) >= limits_.of_session)
        return fail(Errc::unavailable, "too many calls wait for an approval already");
    auto one = std::make_shared<Open>();
    one->id = new_id();
    one->binding = std::move(binding);
    one->standing = question.standing;
    one->offer = question.offer;
    one->tool = question.subject, one->pin = question.pin;
    one->arguments = kept(question.arguments), one->why = question.why;
    one->until = Clock::now() + limits_.open;
    open_.push_back(one);
    watch();
    told_(row(*one), "asked", "");
    ask(one, question);
    if (changed) changed();
    return one;
}

void Approvals::ask(OpenPtr const& one, Question const& question) {
    if (!question.ask || !one->is_asked() || one->withdraw) return;
    one->withdraw = question.ask(row(*one), [this, weak = std::weak_ptr(one)](Answer answer) {
        if (auto const here = weak.lock()) settle(*here, answer, "client");
    });
}

boost::asio::awaitable<Approvals::Decision> Approvals::settle(Question question) {
    if (granted(question)) co_return Decision{Decision::Kind::yes, ""};
    auto binding = binding_of(question);
    auto one = find(binding);
    if (one) ask(one, question); // whoever repeats it may be asked where the first could not
    if (!one) {
        auto opened = open(question, std::move(binding));
        if (!opened) co_return Decision{Decision::Kind::too_many, ""};
        one = *opened;
    }
    co_return co_await wait(std::move(one), std::move(question));
}

boost::asio::awaitable<Approvals::Decision> Approvals::wait(OpenPtr one, Question question) {
    auto const late = Clock::now() + limits_.wait;
    auto const timer = std::make_shared<boost::asio::steady_timer>(executor_);
    one->attended = true;
    one->wake = [timer] { timer->cancel(); };
    question.cancel->join([this, weak = std::weak_ptr(one)](std::string const&) {
        if (auto const here = weak.lock(); here && here->outcome == Decision::Kind::waiting) drop(here, "withdrawn");
    });
    while (one->state == Open::State::asked && one->outcome == Decision::Kind::waiting && Clock::now() < late) {
        if (question.tick) question.tick(one->id);
        timer->expires_at(std::min(late, Clock::now() + limits_.tick));
        boost::system::error_code ignored;
        co_await timer->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
    question.cancel->leave();
    one->attended = false;
    one->wake = nullptr;
    Decision decision{one->outcome, one->id};
    if (one->state == Open::State::approved && one->until > Clock::now()) {
        decision.kind = Decision::Kind::yes; // and it is used up
        open_.remove(one);
        if (changed) changed();
    }
    co_return decision;
}

bool Approvals::is_once(Open const& one) {
    auto const* const tool = one.offer->tool(one.tool);
    return tool != nullptr && tool->once;
}

void Approvals::settle(Open& one, Answer answer, std::string_view by) {
    if (!one.is_asked()) return;
    one.state = answer == Answer::no ? one.state : Open::State::approved;
    if (auto const withdraw = std::exchange(one.withdraw, nullptr); withdraw && by != "client") withdraw();
    told_(row(one), answer == Answer::no ? "denied" : "approved", by);
    if (answer == Answer::session && one.standing->lasting && !is_once(one))
        grants_.push_back({one.standing->id, one.offer->identity, one.tool, one.pin,
                           std::max(one.standing->label, one.offer->label), // what it says itself was agreed to
                           std::max(one.standing->taint, one.offer->taint)});
    if (answer == Answer::no) {
        one.outcome = Decision::Kind::no;
        open_.remove_if([&](auto const& other) { return other.get() == &one; });
    }
    if (one.wake) one.wake();
    if (changed) changed();
}

Result<ApprovalRow> Approvals::decide(std::string const& id, Answer answer, std::string_view by) {
    auto const found = std::find_if(open_.begin(), open_.end(), [&](auto const& one) {
        return one->id == id && one->is_asked() && one->until > Clock::now();
    });
    if (found == open_.end()) return fail(Errc::not_found, std::string(not_open));
    auto const one = *found; // settle() may take it off the list
    auto out = row(*one);
    settle(*one, answer, by);
    return out;
}

void Approvals::drop(OpenPtr const& one, std::string_view outcome) {
    one->outcome = Decision::Kind::withdrawn;
    one->state = Open::State::asked;
    open_.remove(one);
    if (auto const withdraw = std::exchange(one->withdraw, nullptr)) withdraw();
    told_(row(*one), outcome, "");
    if (one->wake) one->wake();
    if (changed) changed();
}

void Approvals::close_session(std::string const& session) {
    std::erase_if(grants_, [&](auto const& grant) { return grant.session == session; });
    auto const all = open_;
    for (auto const& one : all)
        if (one->standing->id == session) drop(one, "withdrawn");
}

/// The oldest expires first.
void Approvals::watch() {
    if (open_.empty()) return;
    expiry_->expires_at(open_.front()->until);
    expiry_->async_wait([this, timer = expiry_](boost::system::error_code const& error) {
        if (error) return;
        while (!open_.empty() && open_.front()->until <= Clock::now()) {
            auto const one = open_.front(); // drop() takes it off
            drop(one, "expired");
        }
        watch();
    });
}

} // namespace pfar::pipeline
