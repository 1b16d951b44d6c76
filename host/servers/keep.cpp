// The life of a server: start, look, watch, crash, again. Whoever changes one of the flags rings; this looks.
#include "servers/diagnosis.hpp"
#include "servers/server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace pfar::servers {
namespace {

constexpr std::chrono::seconds between_pings{10}, between_looks{5}, drain_time{30}, moment{2};
constexpr std::chrono::milliseconds between_lists{500};
constexpr std::size_t most_missed = 3, told_lines = 3;
constexpr auto never = Server::Clock::time_point::max();

} // namespace

void Server::begin() {
    boost::asio::co_spawn(common_->executor, keep(), [self = shared_from_this()](std::exception_ptr const& thrown) {
        self->closed_ = true;
        self->change_.ring();
        if (thrown) try {
                std::rethrow_exception(thrown);
            } catch (std::exception const& problem) {
                spdlog::error("{}: its keeper threw: {}", self->name(), problem.what());
            }
    });
}

bool Server::wanted() const {
    return disabled_.empty() && (spec().autostart || woken_);
}

void Server::tell(std::string kind, std::string outcome, std::string words) const {
    common_->told(*this, {std::move(kind), std::move(outcome), std::move(words)});
}

void Server::set_state(State state, std::string reason) {
    state_ = state;
    reason_ = std::move(reason);
    since_ = Clock::now();
    change_.ring();
    common_->changed(*this, "state");
}

void Server::set_listing(std::shared_ptr<Listing const> listing, bool old) {
    auto const before = std::exchange(listing_, std::move(listing));
    listing_is_old_ = old;
    static Listing const nothing;
    auto const &was = before ? *before : nothing, &is = listing_ ? *listing_ : nothing;
    bool const other = before == nullptr || listing_ == nullptr;
    if (other || was.tools != is.tools) common_->changed(*this, "tools");
    if (other || was.resources != is.resources || was.templates != is.templates) common_->changed(*this, "resources");
    if (other || was.prompts != is.prompts) common_->changed(*this, "prompts");
    common_->changed(*this, "state"); // whoever keeps something made of it makes it anew
}

boost::asio::awaitable<void> Server::keep() {
    auto const self = shared_from_this();
    fingerprint_ = common_->fingerprint(*file_);
    if (auto known = read_listing(common_->cache / (slug_ + ".json"), fingerprint_))
        set_listing(std::make_shared<Listing const>(std::move(*known)), true);
    kept_ = listing_ != nullptr;
    while (!closing_) {
        if (wanted()) {
            co_await live();
            continue;
        }
        if (!disabled_.empty())
            set_listing(nullptr, false), set_state(State::disabled, disabled_);
        else
            set_state(State::stopped, "it starts at its first call, or by: pfar restart " + name());
        co_await change_.until(never);
    }
    set_state(State::stopped, "the host is stopping");
}

/// One start and what comes of it.
boost::asio::awaitable<void> Server::live() {
    restart_ = drain_ = false;
    if (!is_shared() && kept_) { // known from the last time, and nothing has changed since
        set_state(State::running);
        co_await rest_until(never);
        co_return;
    }
    if (!retrying_) set_state(State::starting), tell("spawn", "begun", "");
    auto place = co_await common_->gate->enter();
    if (disturbed()) co_return;
    said_before_ = log_.lines();
    auto task = task_for("");
    auto made = std::move(task.made);
    task.made = [weak = weak_from_this(), made](Instance& instance) {
        made(instance);
        if (auto const self = weak.lock()) self->starting_ = instance.weak_from_this();
    };
    auto begun = co_await Instance::begin(common_->executor, common_->start, std::move(task));
    if (!begun) {
        place.reset();
        if (disturbed()) co_return; // it was ended on purpose
        auto failure = begun.error();
        co_await not_started(std::move(failure));
        co_return;
    }
    instance_ = *begun;
    begin_talk(*instance_);
    retrying_ = false;
    auto const looked = co_await look();
    place.reset();
    starting_.reset();
    if (!looked && disturbed()) {
        co_await end_instance();
        co_return;
    }
    if (!looked) {
        auto words = looked.error().what;
        if (!spec().stateful)
            words += "; a stateless server lists its tools without any grants: if it needs some for that, say stateful "
                     "= true";
        failure_ = Failure{"handshake", words};
        co_await end_instance();
        co_await crashed(std::move(words));
        co_return;
    }
    failure_.reset();
    set_state(State::running);
    tell("spawn", "running", "");
    if (is_shared()) {
        co_await watch();
        co_return;
    }
    co_await end_instance();
    co_await rest_until(never);
}

/// What it offers, asked anew.
boost::asio::awaitable<Result<void>> Server::look() {
    lists_changed_ = false;
    looked_ = Clock::now();
    auto const instance = instance_;
    auto trouble = [weak = weak_from_this()](std::string const& what) {
        if (auto const self = weak.lock()) self->log_.remark(what);
    };
    auto found = co_await discover(instance->session(), std::move(trouble));
    if (!found)
        co_return fail(found.error().code,
                       "it does not list what it offers: " + found.error().what + instance->blocked_words());
    auto const listing = std::make_shared<Listing const>(std::move(*found));
    set_listing(listing, false);
    kept_ = true;
    auto const kept = keep_listing(common_->cache / (slug_ + ".json"), fingerprint_, *listing);
    if (!kept) spdlog::warn("{}: its listing is not kept: {}", name(), kept.error().what);
    co_return Result<void>();
}

void Server::hear_end(Instance& instance) {
    facts_ = std::make_shared<Process::Facts const>(instance.process().facts());
    living_.push_back(instance.weak_from_this());
    std::erase_if(living_, [](auto const& one) { return one.expired(); });
    instance.on_end([weak = weak_from_this()](Instance const& ended) {
        auto const self = weak.lock();
        if (!self) return;
        self->take_back_requests(ended);
        self->add_blocked(ended.process().blocked());
        self->log_.finish();
        self->change_.ring();
    });
}

boost::asio::awaitable<void> Server::watch() {
    auto next_ping = Clock::now() + between_pings;
    std::optional<Clock::time_point> drained_by;
    missed_ = 0;
    while (!instance_->has_ended()) {
        if (closing_ || !wanted() || (restart_ && !drain_)) break;
        if (restart_ && !drained_by) drained_by = Clock::now() + drain_time;
        if (drained_by && (instance_->session()->in_flight() == 0 || Clock::now() >= *drained_by)) break;
        bool const looks = lists_changed_ && !restart_;
        if (looks && Clock::now() >= looked_ + between_lists) {
            auto const looked = co_await look();
            if (!looked) log_.remark(looked.error().what);
            continue;
        }
        if (missed_ >= most_missed) {
            instance_->kill("it was hung: three pings in a row had no answer");
            co_await instance_->ended(Clock::now() + moment);
            break;
        }
        if (!pinging_ && Clock::now() >= next_ping) {
            next_ping = Clock::now() + between_pings;
            pinging_ = true;
            boost::asio::co_spawn(common_->executor, ping(instance_->session()),
                                  [self = shared_from_this()](std::exception_ptr const&) {});
        }
        auto next = pinging_ ? never : next_ping; // its end rings
        if (drained_by) next = std::min(*drained_by, next);
        if (looks) next = std::min(next, looked_ + between_lists);
        co_await change_.until(next);
    }
    bool const by_itself = instance_->has_ended() || missed_ >= most_missed;
    auto words =
        instance_->ending() ? instance_->ending()->words : std::string("it was hung, and its process does not end");
    words += instance_->blocked_words() + last_words(log_.said_since(said_before_, told_lines));
    co_await end_instance();
    listing_is_old_ = true;
    if (by_itself && !closing_) co_await crashed(std::move(words));
}

boost::asio::awaitable<void> Server::ping(std::shared_ptr<Session> session) {
    auto const self = shared_from_this();
    bool const answered = co_await session->ping(between_pings);
    pinging_ = false;
    bool const counts = !answered && session->in_flight() == 0; // in a call only its own time counts
    missed_ = counts ? missed_ + 1 : 0;
    change_.ring();
}

boost::asio::awaitable<void> Server::end_instance() {
    auto const instance = std::exchange(instance_, nullptr);
    auto why = name() + " is being stopped";
    if (instance) co_await instance->stop(std::move(why), true);
}

boost::asio::awaitable<void> Server::not_started(StartFailure failure) {
    using Where = StartFailure::Where;
    last_exit_ = failure.words;
    if (failure.where == Where::spawn || failure.where == Where::handshake) {
        failure.words += npx_words(spec(), failure.last) + failure.last;
        failure_ = Failure{failure.where == Where::spawn ? "spawn" : "handshake", failure.words};
        co_await crashed(std::move(failure.words));
        co_return;
    }
    bool const refused = failure.where == Where::refused;
    if (reason_ != failure.words) {
        tell("spawn", refused ? "refused" : "stopped", failure.words);
        log_.remark(failure.words);
    }
    if (refused) set_listing(nullptr, false);
    if (state_ == State::starting || reason_ != failure.words)
        set_state(refused ? State::failed : State::stopped, failure.words);
    retrying_ = failure.where == Where::missing;
    auto const late = retrying_ ? Clock::now() + between_looks : never;
    co_await rest_until(late);
}

std::optional<std::chrono::seconds> Server::count_crash(std::string const& words) {
    ++crashes_;
    last_exit_ = words;
    log_.remark("crashed: " + words.substr(0, words.find("; its last words: ")));
    tell("crash", "crashed", words);
    auto const wait = count_.crashed(Clock::now());
    if (wait) return wait;
    disabled_ =
        fmt::format("it crashed three times within ten minutes, the last time: {}; to start it again: pfar restart {}",
                    words, name());
    tell("crash", "disabled", disabled_);
    return wait;
}

boost::asio::awaitable<void> Server::crashed(std::string words) {
    set_listing(nullptr, false);
    auto const wait = count_crash(words);
    if (!wait) co_return;
    auto const until = Clock::now() + with_jitter(*wait);
    set_state(State::backoff, fmt::format("{}; it is started again in {} s", words, wait->count()));
    co_await rest_until(until);
    if (!closing_) ++restarts_;
}

/// Until something has changed that matters to one that does not run, or the time has come.
boost::asio::awaitable<void> Server::rest_until(Clock::time_point late) {
    while (!disturbed() && Clock::now() < late) co_await change_.until(late);
}

} // namespace pfar::servers
