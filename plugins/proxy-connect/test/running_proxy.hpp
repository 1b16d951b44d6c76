// A proxy that serves, on an io_context with a thread of its own, as the host's egress thread does.
#pragma once

#include "connect_proxy.hpp"
#include "http_answer.hpp"
#include "peers.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <thread>

namespace pfar::proxy_connect {

using Decide = decltype(EgressTask::decide);

inline Verdict allowed_at(std::string const& address) {
    Verdict verdict;
    verdict.allowed = true;
    verdict.name = "name.example";
    verdict.dial = {asio::ip::make_address(address)};
    return verdict;
}

inline Verdict refused(std::string why) {
    Verdict verdict;
    verdict.why = std::move(why);
    return verdict;
}

inline Decide always(Verdict verdict) {
    return [verdict](Destination const&, std::function<void(Verdict)> const& answer) { answer(verdict); };
}

/// Answers by the host that is asked for, and keeps what it was asked. What it has no verdict for is refused.
class Judge {
public:
    explicit Judge(std::map<std::string, Verdict> verdicts) : verdicts_(std::move(verdicts)) {}

    Decide decide() {
        return [this](Destination const& asked, std::function<void(Verdict)> const& answer) {
            {
                std::lock_guard const lock(mutex_);
                asked_.push_back(asked.host + ":" + std::to_string(asked.port));
            }
            auto const verdict = verdicts_.find(asked.host);
            answer(verdict == verdicts_.end() ? refused("not " + asked.host) : verdict->second);
        };
    }

    [[nodiscard]] std::vector<std::string> asked() {
        std::lock_guard const lock(mutex_);
        return asked_;
    }

private:
    std::map<std::string, Verdict> const verdicts_;
    std::mutex mutex_;
    std::vector<std::string> asked_;
};

class RunningProxy {
public:
    explicit RunningProxy(Decide decide = always(allowed_at("127.0.0.1")), Limits limits = {},
                          bool require_sni = false) {
        Listening listening;
        port_ = listening.port();
        std::vector<EgressListener> listeners;
        listeners.push_back({listening.release(), EgressListener::Role::proxy, port_});
        open(std::move(listeners), std::move(decide), limits, require_sni);
    }
    /// In transparent mode.
    RunningProxy(std::vector<EgressListener> listeners, Decide decide, bool require_sni = true) {
        open(std::move(listeners), std::move(decide), {}, require_sni);
    }
    RunningProxy(RunningProxy const&) = delete;
    RunningProxy& operator=(RunningProxy const&) = delete;
    ~RunningProxy() {
        stop();
        work_.reset(); // the thread ends when nothing is left to do: a coroutine that hangs would hang the test
    }

    void on_executor(std::function<void()> const& work) {
        std::promise<void> done;
        asio::post(context_, [&] {
            work();
            done.set_value();
        });
        done.get_future().get();
    }

    void stop() {
        on_executor([&] { stop_here(); });
    }
    void stop_here() { session_.reset(); } // on the executor

    [[nodiscard]] Peer client() const { return Peer::connected_to(port_); }

    /// A client that has its tunnel to `port`.
    [[nodiscard]] Peer tunnel_to(std::uint16_t port) const {
        auto peer = client();
        peer.send("CONNECT name.example:" + std::to_string(port) + " HTTP/1.1\r\nHost: name.example\r\n\r\n");
        REQUIRE(peer.receive(established.size()) == established);
        return peer;
    }

    std::size_t tunnels() {
        std::size_t count = 0;
        on_executor([&] { count = session_->tunnels().value(); });
        return count;
    }

    /// The next record, in the order in which they were made.
    EgressRecord record() {
        std::unique_lock lock(mutex_);
        REQUIRE(arrived_.wait_for(lock, std::chrono::seconds(5), [&] { return !records_.empty(); }));
        auto first = records_.front();
        records_.erase(records_.begin());
        return first;
    }

    std::size_t records() {
        std::lock_guard const lock(mutex_);
        return records_.size();
    }

private:
    void open(std::vector<EgressListener> listeners, Decide decide, Limits limits, bool require_sni) {
        EgressTask task;
        task.require_sni = require_sni;
        task.server = "test";
        task.executor = context_.get_executor();
        task.decide = std::move(decide);
        task.record = [this](EgressRecord record) { keep(std::move(record)); };
        task.listeners = std::move(listeners);
        on_executor([&] { session_ = open_session(std::move(task), limits, {}).value(); });
    }

    void keep(EgressRecord record) {
        std::lock_guard const lock(mutex_);
        records_.push_back(std::move(record));
        arrived_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<EgressRecord> records_;
    std::uint16_t port_ = 0;
    asio::io_context context_;
    asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(context_);
    std::unique_ptr<EgressSession> session_;
    std::jthread thread_{[this] { context_.run(); }};
};

} // namespace pfar::proxy_connect
