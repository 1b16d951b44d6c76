#include "servers/pool.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>

namespace pfar::servers {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::minutes idle_life{5};

boost::asio::awaitable<void> stop(std::shared_ptr<Instance> instance, std::string why, bool patiently) {
    co_await instance->stop(std::move(why), patiently);
}

} // namespace

void retire(std::shared_ptr<Instance> instance, std::string why, bool patiently) {
    auto const executor = instance->executor();
    boost::asio::co_spawn(executor, stop(std::move(instance), std::move(why), patiently), boost::asio::detached);
}

std::shared_ptr<Instance> Pool::take(std::string const& key) {
    for (auto at = waiting_.begin(); at != waiting_.end();) {
        if (at->key != key) {
            ++at;
            continue;
        }
        auto const instance = std::move(at->instance);
        at = waiting_.erase(at);
        if (!instance->has_ended()) return instance;
    }
    return nullptr;
}

void Pool::put(std::string const& key, std::string const& server, std::shared_ptr<Instance> instance) {
    waiting_.push_back({key, server, std::move(instance), Clock::now() + idle_life});
    fit();
    sweep_soon();
}

void Pool::use(std::size_t most) {
    most_ = most;
    fit();
}

/// The dead take no place from those that live.
void Pool::fit() {
    std::erase_if(waiting_, [](auto const& one) { return one.instance->has_ended(); });
    while (waiting_.size() > most_) {
        retire(std::move(waiting_.front().instance), "the pool is full");
        waiting_.pop_front();
    }
}

std::size_t Pool::count(std::string const& key) const {
    return static_cast<std::size_t>(std::count_if(waiting_.begin(), waiting_.end(), [&](auto const& one) {
        return one.key == key && !one.instance->has_ended();
    }));
}

std::size_t Pool::of_server(std::string const& server) const {
    return static_cast<std::size_t>(std::count_if(waiting_.begin(), waiting_.end(), [&](auto const& one) {
        return one.server == server && !one.instance->has_ended();
    }));
}

void Pool::drain(std::string const& server) {
    for (auto at = waiting_.begin(); at != waiting_.end();) {
        bool const goes = server.empty() || at->server == server;
        if (goes) retire(std::move(at->instance), "it is out of date");
        at = goes ? waiting_.erase(at) : std::next(at);
    }
}

void Pool::sweep_soon() {
    if (sweeping_ || waiting_.empty()) return;
    sweeping_ = true;
    sweep_.expires_at(waiting_.front().until);
    sweep_.async_wait([weak = weak_from_this()](boost::system::error_code const& error) {
        auto const self = weak.lock();
        if (!self) return;
        self->sweeping_ = false;
        if (!error) self->sweep();
    });
}

void Pool::sweep() {
    while (!waiting_.empty() && waiting_.front().until <= Clock::now()) {
        retire(std::move(waiting_.front().instance), "nobody needed it");
        waiting_.pop_front();
    }
    sweep_soon();
}

} // namespace pfar::servers
