// What a server has to do with clients besides answering them: its own requests, its notifications, whose turn it is, who subscribed to what.
#include "servers/clients.hpp"

#include "base/text.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::servers {
namespace {

constexpr std::size_t most_requests = 64, most_subscriptions = 4096;

std::string request_key(Instance const& instance, std::string_view id) {
    return fmt::format("{} {}", fmt::ptr(&instance), id);
}

std::string_view subject(std::string_view method) {
    return method.substr(0, method.find('/'));
}

} // namespace

/// It goes to the session that has it work. With several at once nobody knows whose it is: it is refused, and from then on there is one at a time.
std::string Server::hear_request(InstanceSlot const& slot, wire::Message const& message) {
    auto const instance = slot->lock();
    if (!instance) return "its process is going";
    asks_clients_ = true;
    Active const* whose = nullptr;
    for (auto const* const active : active_) {
        if (active->instance != instance.get() || !active->talk->asked) continue;
        if (whose != nullptr && whose->session != active->session)
            return fmt::format(
                "several clients are in flight, so nobody knows whose {} this is; from now on there is one at a time",
                subject(message.method));
        whose = active;
    }
    if (whose == nullptr)
        return fmt::format("no client is in flight that could be asked for {}", subject(message.method));
    if (requests_.size() >= most_requests) return "too many requests of it wait for an answer";
    auto const key = request_key(*instance, message.id);
    auto const cancel = requests_[key] = std::make_shared<wire::CancelSlot>();
    auto answer = [weak = weak_from_this(), session = std::weak_ptr(instance->session()), key,
                   id = std::string(message.id)](bool is_error, std::string const& payload) {
        if (auto const self = weak.lock()) self->requests_.erase(key);
        auto const here = session.lock();
        if (!here) return;
        if (is_error)
            here->peer().refuse(id, payload);
        else
            here->peer().answer(id, payload);
    };
    auto progressed = [session = std::weak_ptr(instance->session())](std::string_view params) {
        if (auto const here = session.lock()) (void)here->tell("notifications/progress", params);
    };
    auto why = whose->talk->asked(
        {std::string(message.method), std::string(message.payload), std::move(answer), cancel, std::move(progressed)});
    if (!why.empty()) requests_.erase(key);
    return why;
}

void Server::hear_cancelled(Instance const& instance, std::string_view params) {
    auto const id = wire::member_of(params, "requestId");
    auto const found = requests_.extract(request_key(instance, id));
    if (found.empty()) return;
    instance.session()->peer().withdrawn(id);
    found.mapped()->cancel("the server took it back");
}

void Server::take_back_requests(Instance const& instance) {
    auto const mine = request_key(instance, "");
    for (auto at = requests_.lower_bound(mine); at != requests_.end() && at->first.starts_with(mine);) {
        auto const cancel = at->second;
        at = requests_.erase(at);
        cancel->cancel("the server has ended");
    }
}

void Server::hear_notification(InstanceSlot const& slot, wire::Message const& message) {
    auto const instance = slot->lock();
    if (!instance) return;
    if (message.method == "notifications/cancelled") return hear_cancelled(*instance, message.payload);
    if (message.method == "notifications/message") {
        log_.remark(fmt::format("log: {}", base::printable(message.payload.substr(0, 2000))));
        return pass_on(*instance, message);
    }
    if (message.method == "notifications/elicitation/complete") return pass_on(*instance, message);
    if (message.method != "notifications/resources/updated" || !common_->notified) return;
    auto const own =
        std::find_if(own_.begin(), own_.end(), [&](auto const& entry) { return entry.second.instance == instance; });
    common_->notified(*this,
                      {own == own_.end() ? "" : own->first, wire::string_in(wire::member_of(message.payload, "uri")),
                       std::string(message.method), message.payload});
}

/// To those who have it work, else to everybody who sees it: what it says about one session's call is not for another.
void Server::pass_on(Instance const& instance, wire::Message const& message) {
    std::set<std::string> told;
    for (auto const* const active : std::vector(active_))
        if (active->instance == &instance && active->talk->told && told.insert(active->session).second)
            active->talk->told(message.method, message.payload);
    if (!told.empty() || !common_->notified) return;
    auto const own = std::find_if(own_.begin(), own_.end(),
                                  [&](auto const& entry) { return entry.second.instance.get() == &instance; });
    if (own != own_.end() || is_shared())
        common_->notified(*this,
                          {own == own_.end() ? "" : own->first, "", std::string(message.method), message.payload});
}

bool Server::is_free_for(std::string const& session) const {
    return std::all_of(active_.begin(), active_.end(), [&](auto const* one) { return one->session == session; });
}

/// First come, first served: whoever works already does not push in before those who wait. False if it takes too long.
boost::asio::awaitable<bool> Server::wait_for_turn(std::string session, std::shared_ptr<wire::CancelSlot> cancel) {
    if (line_.empty() && is_free_for(session)) co_return true;
    auto const late = Clock::now() + spec().timeouts.call;
    auto const ticket = ++tickets_;
    line_.push_back(ticket);
    cancel->join([weak = weak_from_this()](std::string const&) {
        if (auto const self = weak.lock()) self->change_.ring();
    });
    auto const ready = [&] { return line_.front() == ticket && is_free_for(session); };
    while (!ready() && !cancel->cancelled() && !closing_ && Clock::now() < late) co_await change_.until(late);
    bool const free = ready();
    cancel->leave();
    std::erase(line_, ticket);
    change_.ring();
    co_return free;
}

/// A new process is told what all of them are told.
void Server::begin_talk(Instance& instance) {
    auto const& session = instance.session();
    auto const ignore = [](Result<Answer> const&) {};
    if (!log_level_.empty() && session->facts().offers("logging")) {
        Session::Question level{"logging/setLevel", fmt::format(R"({{"level":"{}"}})", log_level_), {}, {}, 0, {}, {}};
        (void)session->ask(std::move(level), ignore);
    }
    if (!is_shared()) return;
    for (auto const& [uri, sessions] : subscribers_) {
        Session::Question again{
            std::string(subscribe_method), fmt::format(R"({{"uri":{}}})", wire::quoted(uri)), {}, {}, 0, {}, {}};
        (void)session->ask(std::move(again), ignore);
    }
}

void Server::set_log_level(std::string const& level) {
    if (log_level_ == level) return;
    log_level_ = level;
    for (auto const& weak : living_)
        if (auto const one = weak.lock();
            one && one->session() && !one->has_ended() && one->session()->facts().offers("logging")) {
            Session::Question question{
                "logging/setLevel", fmt::format(R"({{"level":"{}"}})", level), {}, {}, 0, {}, {}};
            (void)one->session()->ask(std::move(question), [](Result<Answer> const&) {});
        }
}

/// The server hears of the first who subscribes and of the last who leaves.
boost::asio::awaitable<Result<Told>> Server::subscribe(std::shared_ptr<Instance> instance, wire::Forwarding ask) {
    auto const uri = wire::string_in(wire::member_of(ask.talk->sent(0), "uri"));
    bool const begins = ask.method == subscribe_method;
    auto const session = ask.session;
    auto const found = subscribers_.find(uri);
    Told nothing_new{{false, "{}"}};
    if (begins && found != subscribers_.end()) {
        found->second.insert(session);
        co_return nothing_new;
    }
    if (begins && subscribers_.size() >= most_subscriptions)
        co_return fail(Errc::unavailable, "it has too many subscriptions already");
    if (!begins && found != subscribers_.end()) {
        found->second.erase(session);
        if (!found->second.empty()) co_return nothing_new;
        subscribers_.erase(found);
    }
    auto told = co_await ask_instance(std::move(instance), std::move(ask));
    if (begins && told && !told->answer.is_error) subscribers_[uri].insert(session);
    co_return told;
}

void Server::unsubscribe_all(std::string const& session) {
    for (auto at = subscribers_.begin(); at != subscribers_.end();) {
        bool const last = at->second.erase(session) > 0 && at->second.empty();
        if (last && instance_ && !instance_->has_ended()) {
            Session::Question question{std::string(unsubscribe_method),
                                       fmt::format(R"({{"uri":{}}})", wire::quoted(at->first)),
                                       {},
                                       {},
                                       0,
                                       {},
                                       {}};
            (void)instance_->session()->ask(std::move(question), [](Result<Answer> const&) {});
        }
        at = last ? subscribers_.erase(at) : std::next(at);
    }
}

} // namespace pfar::servers
