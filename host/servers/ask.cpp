// What is asked of a server: which process answers, and what an error may mean.
#include "servers/server.hpp"

#include "base/text.hpp"
#include "servers/clients.hpp"
#include "servers/diagnosis.hpp"
#include "wire/json_text.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

namespace pfar::servers {
namespace {

constexpr std::size_t told_lines = 3, most_own = 64;
constexpr std::chrono::milliseconds a_breath{5}, between_looks{20};

/// Whoever does not read what he asked for gets nothing more until he does: others wait for this server too.
bool is_held(wire::Forwarding const& ask) {
    return ask.talk->held && ask.talk->held();
}

/// Counts while it lives.
class Counted {
public:
    Counted(std::size_t& count, Change& change) : count_(count), change_(change) { ++count_; }
    Counted(Counted const&) = delete;
    Counted& operator=(Counted const&) = delete;
    ~Counted() {
        if (--count_ == 0) change_.ring(); // a restart may wait for it
    }

private:
    std::size_t& count_;
    Change& change_;
};

} // namespace

Instance::Task Server::task_for(std::string const& tool) {
    auto const weak = weak_from_this();
    Session::Heard heard;
    heard.list_changed = [weak](std::string_view) {
        if (auto const self = weak.lock(); self && self->is_shared()) self->lists_changed_ = true, self->change_.ring();
    };
    auto const slot = std::make_shared<std::weak_ptr<Instance>>();
    heard.notification = [weak, slot](wire::Message const& message) {
        if (auto const self = weak.lock()) self->hear_notification(slot, message);
    };
    heard.request = [weak, slot](wire::Message const& message) {
        auto const self = weak.lock();
        return self ? self->hear_request(slot, message) : std::string("the host is leaving");
    };
    heard.trouble = [weak](std::string const& what) {
        if (auto const self = weak.lock()) self->log_.remark("on its stdout: " + what);
    };
    StartTask start{file_, tool, [weak](std::string_view chunk) {
                        if (auto const self = weak.lock()) self->log_.add(chunk);
                    }};
    auto last_words = [weak, from = log_.lines()] {
        auto const self = weak.lock();
        if (!self) return std::vector<std::string>();
        self->log_.finish();
        return self->log_.said_since(from, told_lines);
    };
    auto made = [weak, slot](Instance& instance) {
        *slot = instance.weak_from_this();
        if (auto const self = weak.lock()) self->hear_end(instance);
    };
    return {name(), std::move(start), spec().timeouts, std::move(heard), std::move(last_words), std::move(made)};
}

Error Server::unavailable() const {
    auto const word = base::word_for(state_words, state_);
    return fail(state_ == State::disabled ? Errc::refused : Errc::unavailable,
                fmt::format("{} is {}{}{}", name(), state_ == State::backoff ? "down" : word,
                            reason_.empty() ? "" : ": ", reason_));
}

bool Server::is_up() const {
    return state_ == State::running && !restart_ && !closing_ && wanted() &&
           (!is_shared() || (instance_ && !instance_->has_ended())); // and its keeper has not said so yet
}

/// Waits for one that is starting, and starts one that waits for its first call.
boost::asio::awaitable<Result<void>> Server::ready() {
    auto const late = Clock::now() + spec().timeouts.start + std::chrono::seconds(5);
    if (!wanted() && disabled_.empty()) woken_ = restart_ = true, change_.ring();
    while (!closing_ && Clock::now() < late) {
        if (is_up()) co_return Result<void>();
        if (state_ != State::starting && state_ != State::running && !restart_) break;
        co_await change_.until(late);
    }
    co_return unavailable();
}

boost::asio::awaitable<void> Server::wake() {
    auto const self = shared_from_this();
    (void)co_await ready();
}

/// Whoever has not asked for longest and waits for nothing gives its process up; it gets another when it asks.
void Server::make_room() {
    while (own_.size() > most_own) {
        auto oldest = own_.end();
        for (auto at = own_.begin(); at != own_.end(); ++at) {
            auto const& one = at->second.instance;
            bool const rests = !at->second.starting && (!one || one->session()->in_flight() == 0);
            if (rests && (oldest == own_.end() || at->second.used < oldest->second.used)) oldest = at;
        }
        if (oldest == own_.end()) return;
        if (oldest->second.instance) retire(oldest->second.instance, "there are too many sessions", true);
        own_.erase(oldest);
    }
}

boost::asio::awaitable<Result<std::shared_ptr<Instance>>> Server::instance_for(std::string session) {
    auto const late = Clock::now() + spec().timeouts.start + std::chrono::seconds(5);
    while (own_[session].starting && Clock::now() < late) co_await change_.until(late);
    own_[session].used = Clock::now();
    if (auto const& here = own_[session].instance; here && !here->has_ended()) co_return here;
    own_[session].starting = true;
    make_room();
    auto started = co_await fresh("");
    change_.ring();
    auto const place = own_.find(session);
    if (!started && place != own_.end()) own_.erase(place);
    if (!started) co_return started.error();
    auto const instance = *started;
    if (place == own_.end()) {
        retire(instance, "its session has ended");
        co_return fail(Errc::unavailable, "its session has ended");
    }
    place->second.starting = false;
    place->second.instance = instance;
    instance->on_end([weak = weak_from_this(), session](Instance const& ended) {
        auto const self = weak.lock();
        if (!self) return;
        auto const own = self->own_.find(session);
        if (own == self->own_.end() || own->second.instance.get() != &ended) return; // it was ended on purpose
        self->own_.erase(own);
        if (!self->count_crash(ended.ending()->words)) self->change_.ring();
    });
    co_return instance;
}

/// A process of its own for whoever asks.
boost::asio::awaitable<Result<std::shared_ptr<Instance>>> Server::fresh(std::string tool) {
    auto place = co_await common_->gate->enter();
    auto task = task_for(tool);
    auto begun = co_await Instance::begin(common_->executor, common_->start, std::move(task));
    if (!begun) {
        auto const where = begun.error().where;
        auto const words = begun.error().words + npx_words(spec(), begun.error().last) + begun.error().last;
        bool const crash = where == StartFailure::Where::spawn || where == StartFailure::Where::handshake;
        if (crash) failure_ = Failure{where == StartFailure::Where::spawn ? "spawn" : "handshake", words};
        if (crash && !count_crash(words)) change_.ring();
        co_return fail(Errc::unavailable, fmt::format("{} could not be started: {}", name(), words));
    }
    begin_talk(**begun);
    co_return *begun;
}

std::string Server::policy_of(std::string const& tool) const {
    auto const found = spec().tools.find(tool);
    return found != spec().tools.end() && found->second.access ? tool : "";
}

/// One that was upgraded on disk is not the one that waits.
void Server::look_at_package() {
    auto now = common_->fingerprint(*file_);
    if (now == fingerprint_) return;
    fingerprint_ = std::move(now);
    keys_.clear();
    common_->pool->drain(slug_);
    kept_ = false;
    restart_ = true;
    change_.ring();
}

/// The one process of all sessions: they take turns.
boost::asio::awaitable<Result<Told>> Server::ask_shared(wire::Forwarding ask) {
    bool free = true;
    if (asks_clients_) free = co_await wait_for_turn(ask.session, ask.cancel);
    if (!free)
        co_return fail(Errc::unavailable,
                       fmt::format("{} works for another session, one at a time, and was not free in time", name()));
    auto place = window_->enter_now(ask.session);
    while (!ask.cancel->cancelled() && (!place || is_held(ask))) {
        if (place) place.reset(), co_await pause(between_looks);
        auto entered = co_await window_->enter(ask.session);
        place.emplace(std::move(entered));
    }
    if (ask.cancel->cancelled()) co_return fail(Errc::refused, "it was cancelled");
    auto const instance = instance_;
    if (!instance || instance->has_ended()) co_return unavailable();
    if (ask.method == subscribe_method || ask.method == unsubscribe_method)
        co_return co_await subscribe(instance, std::move(ask));
    auto told = co_await ask_instance(instance, std::move(ask));
    if (told) place->weigh(told->answer.payload.size());
    co_return told;
}

boost::asio::awaitable<Result<Told>> Server::ask(wire::Forwarding ask) {
    auto const self = shared_from_this();
    Counted const counted(in_flight_, change_);
    if (!spec().stateful) look_at_package();
    if (!is_up()) {
        auto const up = co_await ready();
        if (!up) co_return up.error();
    }
    if (ask.cancel->cancelled()) co_return fail(Errc::refused, "it was cancelled");
    if (is_shared()) co_return co_await ask_shared(std::move(ask));
    if (spec().stateful) {
        auto const own = co_await instance_for(ask.session);
        if (!own) co_return own.error();
        co_return co_await ask_instance(*own, std::move(ask));
    }
    auto const tool = policy_of(ask.tool);
    auto key = keys_[tool];
    if (key.empty())
        if (auto made = common_->policy_key(*file_, tool)) key = keys_[tool] = slug_ + " " + *made;
    auto instance = common_->pool->take(key);
    if (!instance) {
        auto const cold = co_await fresh(tool);
        if (!cold) co_return cold.error();
        instance = *cold;
    }
    auto told = co_await ask_instance(instance, std::move(ask));
    boost::asio::co_spawn(common_->executor, after_call(std::move(instance), key, tool),
                          [self](std::exception_ptr const&) {});
    co_return told;
}

boost::asio::awaitable<void> Server::pause(std::chrono::milliseconds time) {
    boost::asio::steady_timer timer(common_->executor, time);
    boost::system::error_code error;
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, error));
}

/// Ending a process and starting the next takes this thread a millisecond or two, and the kernel lets it finish: whoever waits for the
/// answer reads it first.
boost::asio::awaitable<void> Server::after_call(std::shared_ptr<Instance> instance, std::string key, std::string tool) {
    auto const self = shared_from_this();
    co_await pause(a_breath);
    retire(std::move(instance), "its one call is over");
    if (!key.empty()) co_await refill(std::move(key), std::move(tool));
}

boost::asio::awaitable<void> Server::refill(std::string key, std::string tool) {
    auto const self = shared_from_this();
    auto const most = static_cast<std::size_t>(spec().pool);
    auto const begun = filling_.find(key);
    auto const coming = common_->pool->count(key) + (begun == filling_.end() ? 0 : begun->second);
    if (closing_ || !disabled_.empty() || coming >= most) co_return;
    ++filling_[key];
    auto const made = co_await fresh(tool);
    if (--filling_[key] == 0) filling_.erase(key), change_.ring();
    if (!made) co_return;
    auto const now = keys_.find(tool);
    if (closing_ || now == keys_.end() || now->second != key)
        retire(*made, "it is out of date");
    else
        common_->pool->put(key, slug_, *made);
}

/// Of its file, where grants belong.
std::string Server::table_for(std::string const& tool) const {
    return spec().stateful ? "[access]" : fmt::format("[tools.{}.access]", base::printable(tool));
}

boost::asio::awaitable<Result<Told>> Server::ask_instance(std::shared_ptr<Instance> instance, wire::Forwarding ask) {
    auto const session = instance->session();
    auto const from = log_.lines();
    auto const asked = Clock::now();
    Turn const turn(*this, *instance, ask);
    auto const token = ask.progress ? session->new_token() : 0;
    Session::Question question{std::move(ask.method), ask.talk->sent(token), {}, {}, token, {}, ask.cancel};
    if (token != 0) question.progress = ask.talk->progressed;
    auto answer = co_await session->ask(std::move(question));
    ask.cancel->leave();
    if (!answer) {
        auto words = fmt::format("{} did not answer: {}", name(), answer.error().what);
        if (instance->has_ended()) words += last_words(log_.said_since(from, told_lines));
        words += diagnose({"", asked, instance->process().blocked(), name(), table_for(ask.tool)});
        co_return fail(answer.error().code, words);
    }
    Told told{std::move(*answer)};
    told.hint = [self = shared_from_this(), instance, asked, tool = std::move(ask.tool)](std::string_view said) {
        auto hint = diagnose({said, asked, instance->process().blocked(), self->name(), self->table_for(tool)});
        if (!hint.empty()) self->failure_ = Failure{"tool", hint.substr(hint.find_first_not_of("; "))};
        return hint;
    };
    co_return told;
}

} // namespace pfar::servers
