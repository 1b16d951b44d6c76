// A host's door in a thread of the test's own, so that the test can be a blocking client of it.
#pragma once

#include "control/client.hpp"
#include "control/listener.hpp"
#include "support/temp_dir.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <future>
#include <optional>
#include <thread>

namespace test {

inline pfar::control::Identity const own_identity{"1.0", "b"};

class ControlWorld {
public:
    using Answer = boost::asio::awaitable<pfar::Result<std::string>>;

    explicit ControlWorld(pfar::control::ListenerLimits const& limits = {}, std::string const& below = "")
        : home_(dir_.path() / below) {
        std::filesystem::create_directories(home_);
        run_.emplace(pfar::control::RunDirectory::open(home_).value());
        lock_.emplace(pfar::control::HostLock::take(*run_, own_identity).value());
        listener_ = pfar::control::Listener::open(context_.get_executor(), *run_, *lock_, limits).value();
    }
    ~ControlWorld() {
        if (!thread_.joinable()) return;
        on_thread([this] { listener_.reset(); });
        busy_.reset();
        thread_.join();
    }

    /// With `hello`, which greets as 1.0, and whatever else.
    void start(pfar::control::Methods methods = {}) {
        methods.try_emplace("hello", [](pfar::control::Request request) { return greet(std::move(request)); });
        listener_->start(std::move(methods), {});
        thread_ = std::thread([this] { context_.run(); });
    }

    /// Runs `work` where the listener lives, and waits.
    template <class Work> auto on_thread(Work work) -> decltype(work()) {
        std::packaged_task<decltype(work())()> task(std::move(work));
        auto done = task.get_future();
        boost::asio::post(context_, [&task] { task(); });
        return done.get();
    }

    [[nodiscard]] pfar::control::Client client() const { return pfar::control::Client::connect(*run_).value(); }
    [[nodiscard]] pfar::control::Client greeted() const {
        auto out = client();
        out.hello(own_identity, "/").value();
        return out;
    }
    [[nodiscard]] pfar::control::RunDirectory const& run() const { return *run_; }
    [[nodiscard]] std::filesystem::path const& home() const { return home_; }
    pfar::control::Listener& listener() { return *listener_; }

    static Answer greet(pfar::control::Request /*request*/) {
        co_return std::string(R"({"version":"1.0","build":"b","pid":7,"idle":true})");
    }

private:
    TempDir dir_;
    std::filesystem::path home_;
    std::optional<pfar::control::RunDirectory> run_;
    std::optional<pfar::control::HostLock> lock_;
    boost::asio::io_context context_{1};
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> busy_{
        boost::asio::make_work_guard(context_)};
    std::unique_ptr<pfar::control::Listener> listener_;
    std::thread thread_;
};

} // namespace test
