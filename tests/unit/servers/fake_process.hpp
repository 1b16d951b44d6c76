// A Process without one: pipes with a peer at their far end that answers as a test says, and everything that was done to it.
#pragma once

#include "servers/process.hpp"
#include "unit/servers/session_stage.hpp"

#include <boost/asio/post.hpp>

#include <csignal>

namespace test {

struct FakeLife {
    boost::asio::io_context& context;
    pfar::servers::Process::Facts facts{};
    pfar::wire::Ends ends{};
    std::unique_ptr<pfar::wire::Peer> far{};
    pfar::servers::Process::Ended told{};
    std::vector<pfar::servers::BlockedDomain> blocked{};
    std::vector<int> signals{};
    std::map<std::string, std::string> results{}; // by method; others are not answered
    bool heeds_stdin = true, heeds_sigterm = true, heeds_kill = true, over = false, killed = false, dropped = false;

    explicit FakeLife(boost::asio::io_context& in) : context(in) {
        int there[2], back[2];
        if (::pipe2(there, O_CLOEXEC | O_NONBLOCK) != 0 || ::pipe2(back, O_CLOEXEC | O_NONBLOCK) != 0)
            throw std::runtime_error("no pipe");
        ::signal(SIGPIPE, SIG_IGN);
        ends = {pfar::base::Fd(back[0]), pfar::base::Fd(there[1])};
        far = std::make_unique<pfar::wire::Peer>(context.get_executor(),
                                                 pfar::wire::Ends{pfar::base::Fd(there[0]), pfar::base::Fd(back[1])});
        results["initialize"] = greeting("2025-11-25", R"({"tools":{}})");
        results["tools/list"] = R"({"tools":[{"name":"echo"}]})";
        results["ping"] = "{}";
        listen();
    }
    FakeLife(FakeLife const&) = delete;
    FakeLife& operator=(FakeLife const&) = delete;
    ~FakeLife() = default;

    void end(std::string words) {
        if (std::exchange(over, true)) return;
        boost::asio::post(context, [this, words = std::move(words)] {
            if (told) std::exchange(told, nullptr)({words});
        });
    }

private:
    void listen() {
        pfar::wire::Peer::Heard heard;
        heard.request = [this](pfar::wire::Message const& message) {
            auto const result = results.find(std::string(message.method));
            if (result != results.end()) far->answer(message.id, result->second);
        };
        heard.notification = [](pfar::wire::Message const&) {};
        heard.trouble = [](std::string const&) {};
        heard.ended = [this] {
            if (heeds_stdin) end("exit code 0");
        };
        far->start(std::move(heard));
    }
};

class FakeProcess final : public pfar::servers::Process {
public:
    explicit FakeProcess(std::shared_ptr<FakeLife> life) : life_(std::move(life)) {}
    ~FakeProcess() override { life_->dropped = true, life_->told = nullptr; }

    [[nodiscard]] Facts const& facts() const override { return life_->facts; }
    boost::asio::awaitable<pfar::Result<pfar::wire::Ends>> connect(std::chrono::steady_clock::time_point) override {
        co_return std::move(life_->ends);
    }
    void when_ended(Ended ended) override { life_->told = std::move(ended); }
    void signal(int number) override {
        life_->signals.push_back(number);
        if (number == SIGTERM && life_->heeds_sigterm) life_->end("killed by SIGTERM");
    }
    void kill() override {
        life_->killed = true;
        if (life_->heeds_kill) life_->end("killed by SIGKILL");
    }
    [[nodiscard]] std::vector<pfar::servers::BlockedDomain> blocked() const override { return life_->blocked; }
    bool use(pfar::config::ServerSpec const&) override { return true; }

private:
    std::shared_ptr<FakeLife> life_;
};

/// Makes them; each is kept here for the test to see.
struct FakeStarts {
    using Made = pfar::Result<std::unique_ptr<pfar::servers::Process>>;

    boost::asio::io_context& context;
    std::vector<std::shared_ptr<FakeLife>> lives{};
    std::optional<pfar::Error> refuses{};
    std::function<void(FakeLife&)> prepare{}; // before it starts

    pfar::servers::StartProcess start() {
        return [this](pfar::servers::StartTask) { return make(this); };
    }

private:
    static boost::asio::awaitable<Made> make(FakeStarts* self) {
        if (self->refuses) co_return *self->refuses;
        auto const life = std::make_shared<FakeLife>(self->context);
        self->lives.push_back(life);
        if (self->prepare) self->prepare(*life);
        co_return std::make_unique<FakeProcess>(life);
    }
};

} // namespace test
