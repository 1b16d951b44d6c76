#include "servers/server.hpp"

#include "servers/launch_text.hpp"
#include "servers/network.hpp"

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::servers {
namespace {

constexpr std::size_t most_blocked = 200;

bool same_network(Network const& a, Network const& b) {
    return a.egress == b.egress && a.transparent == b.transparent && a.ports == b.ports && a.proxy_port == b.proxy_port;
}

/// By now: what was refused stays counted, but there is nothing left to do.
bool is_allowed(std::vector<config::DomainRule> const& allowed, std::string const& rule) {
    auto const wanted = config::parse_domain(rule);
    return wanted &&
           std::any_of(allowed.begin(), allowed.end(), [&](auto const& one) { return config::covers(one, *wanted); });
}

} // namespace

Server::Server(std::shared_ptr<Common const> common, File file, std::string slug, std::string disabled)
    : common_(std::move(common)), file_(std::move(file)), slug_(std::move(slug)),
      log_(common_->logs / (slug_ + ".log")), change_(common_->executor), disabled_(std::move(disabled)),
      window_(Window::make(common_->executor, Window::Limits())) {
    if (wanted()) state_ = State::starting;
}

std::vector<ProcessLine> Server::processes() const {
    std::vector<ProcessLine> out;
    if (instance_ && !instance_->has_ended()) out.push_back({pid(), "shared"});
    for (auto const& [session, own] : own_)
        if (own.instance && !own.instance->has_ended())
            out.push_back({own.instance->process().facts().pid, "session " + session});
    return out;
}

void Server::add_blocked(std::vector<BlockedDomain> const& more) {
    for (auto const& one : more) {
        auto const known = blocked_.find(one.domain + " " + one.why);
        if (known != blocked_.end())
            known->second.count += one.count;
        else if (blocked_.size() < most_blocked)
            blocked_.emplace(one.domain + " " + one.why, one);
    }
}

std::vector<BlockedDomain> Server::blocked() const {
    auto sum = blocked_;
    for (auto const& weak : living_)
        if (auto const one = weak.lock(); one && !one->has_ended())
            for (auto const& blocked : one->process().blocked()) {
                auto& entry =
                    sum.try_emplace(blocked.domain + " " + blocked.why,
                                    BlockedDomain{blocked.domain, blocked.why, blocked.remedy, 0, blocked.rule})
                        .first->second;
                entry.count += blocked.count;
            }
    std::vector<BlockedDomain> out;
    for (auto& [key, blocked] : sum) {
        if (is_allowed(spec().allowed_domains, blocked.rule)) blocked.remedy.clear();
        out.push_back(std::move(blocked));
    }
    return out;
}

/// A start that hangs is not waited for by whoever wants something else.
void Server::interrupt(char const* why) {
    if (auto const begun = starting_.lock()) begun->kill(why);
}

void Server::restart(std::string const& why) {
    log_.remark(why);
    disabled_.clear();
    woken_ = restart_ = true;
    kept_ = drain_ = retrying_ = false;
    count_.forget();
    ++restarts_;
    interrupt("it is being restarted");
    common_->pool->drain(slug_);
    change_.ring();
}

void Server::disable(std::string why) {
    disabled_ = std::move(why);
    woken_ = false;
    interrupt("it was disabled");
    common_->pool->drain(slug_);
    change_.ring();
}

/// Label, taint, tools, approval and description are read where they are needed; domains are told to whoever runs.
void Server::update(File file) {
    auto const before = std::exchange(file_, std::move(file));
    note_.clear();
    keys_.clear();
    common_->pool->drain(slug_);
    if (before->digest == file_->digest) return;
    auto const& was = *before->spec;
    bool hot = launch_text(was) == launch_text(spec()) &&
               same_network(network_for(was.allowed_domains, was.transparent, true),
                            network_for(spec().allowed_domains, spec().transparent, true));
    for (auto const& weak : living_)
        if (auto const one = weak.lock(); one && hot && spec().stateful) hot = one->process().use(spec());
    fingerprint_ = common_->fingerprint(*file_);
    if (hot && listing_) {
        (void)keep_listing(common_->cache / (slug_ + ".json"), fingerprint_, *listing_);
        common_->changed(*this, "tools");
        return;
    }
    log_.remark("its file has changed: it is started anew");
    kept_ = retrying_ = false;
    restart_ = drain_ = true;
    interrupt("its file has changed");
    for (auto& [session, own] : own_)
        if (own.instance) retire(own.instance, "its file has changed", true);
    own_.clear();
    if (state_ == State::running && is_shared()) ++restarts_;
    change_.ring();
}

void Server::vault_changed(std::map<std::string, std::string> const& entries) {
    auto const is_old = [&](std::map<std::string, std::string> const& has) {
        return std::any_of(has.begin(), has.end(), [&](auto const& one) {
            auto const now = entries.find(one.first);
            return now != entries.end() && now->second != one.second;
        });
    };
    keys_.clear();
    bool const waits = state_ == State::stopped && disabled_.empty();
    bool const old = facts_ && is_old(facts_->secrets);
    if (!waits && !old) return;
    bool const whole = waits || std::all_of(facts_->secrets.begin(), facts_->secrets.end(),
                                            [&](auto const& one) { return entries.contains(one.first); });
    if (!whole) return log_.remark("a credential has changed and another is gone: it goes on with what it has");
    common_->pool->drain(slug_);
    for (auto at = own_.begin(); at != own_.end();) {
        bool const goes = at->second.instance && is_old(at->second.instance->process().facts().secrets);
        if (goes) retire(at->second.instance, "a credential has changed", true);
        at = goes ? own_.erase(at) : std::next(at);
    }
    if (old) log_.remark("a credential has changed: it is started anew");
    if (old && is_shared()) drain_ = true, ++restarts_;
    restart_ = waits ? wanted() : is_shared();
    change_.ring();
}

void Server::close_session(std::string const& session) {
    unsubscribe_all(session);
    window_->forget(session);
    auto const own = own_.extract(session);
    if (!own.empty() && own.mapped().instance) retire(own.mapped().instance, "its session has ended", true);
}

boost::asio::awaitable<void> Server::settled(Clock::time_point late) {
    auto const self = shared_from_this();
    while ((state_ == State::starting || restart_) && !closed_ && Clock::now() < late) co_await change_.until(late);
}

boost::asio::awaitable<void> Server::resting(Clock::time_point late) {
    auto const self = shared_from_this();
    auto const rests = [&] {
        return state_ != State::running && state_ != State::starting && state_ != State::backoff;
    };
    while (!rests() && !closed_ && Clock::now() < late) co_await change_.until(late);
}

boost::asio::awaitable<void> Server::close(std::string why) {
    auto const self = shared_from_this();
    closing_ = true;
    change_.ring();
    interrupt("it is being stopped");
    common_->pool->drain(slug_);
    for (auto const& weak : living_) {
        auto const one = weak.lock();
        bool const its_own =
            one && std::any_of(own_.begin(), own_.end(), [&](auto const& own) { return own.second.instance == one; });
        if (one && one != instance_ && !its_own) one->kill(why);
    }
    for (auto& [session, own] : own_)
        if (own.instance) retire(own.instance, why, true);
    own_.clear();
    auto const late = Clock::now() + std::chrono::seconds(12);
    while ((!closed_ || in_flight_ > 0 || !filling_.empty()) && Clock::now() < late) co_await change_.until(late);
    for (auto const& weak : living_) {
        auto const one = weak.lock();
        if (one && !one->has_ended()) co_await one->ended(late);
    }
}

} // namespace pfar::servers
