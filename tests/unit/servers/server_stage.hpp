// A Server whose processes are made up, and everything that was told of it.
#pragma once

#include "servers/server.hpp"
#include "support/temp_dir.hpp"
#include "unit/servers/fake_process.hpp"

namespace test {

namespace servers = pfar::servers;

struct ServerStage {
    TempDir dir;
    boost::asio::io_context context;
    FakeStarts starts{context};
    std::shared_ptr<servers::Common> common = std::make_shared<servers::Common>();
    std::vector<std::string> told;
    std::shared_ptr<servers::Server> server;

    explicit ServerStage(std::function<void(pfar::config::ServerSpec&)> const& change = {}, std::string disabled = "") {
        common->executor = context.get_executor();
        common->start = starts.start();
        common->gate = std::make_shared<servers::StartGate>(common->executor);
        common->pool = std::make_shared<servers::Pool>(common->executor, 8);
        common->cache = common->logs = dir.path();
        common->fingerprint = [](pfar::config::SurveyedFile const&) { return std::string("same"); };
        common->policy_key = [](pfar::config::SurveyedFile const&, std::string const& tool) {
            return pfar::Result<std::string>("key " + tool);
        };
        common->told = [this](servers::Server const&, servers::Happening const& what) {
            told.push_back(what.kind + " " + what.outcome);
        };
        common->changed = [](servers::Server const&, std::string_view) {};
        starts.prepare = [](FakeLife& life) { life.results["tools/call"] = R"({"content":[]})"; };
        server = std::make_shared<servers::Server>(common, file(change), "fake", std::move(disabled));
        server->begin();
    }
    ServerStage(ServerStage const&) = delete;
    ServerStage& operator=(ServerStage const&) = delete;
    ~ServerStage() {
        auto const closed = begin(context, close(server));
        turn_until(context, [&] { return closed->has_value(); });
        server.reset(), common.reset();
        turn(context);
    }
    static boost::asio::awaitable<bool> close(std::shared_ptr<servers::Server> server) {
        co_await server->close("the test is over");
        co_return true;
    }
    static servers::File file(std::function<void(pfar::config::ServerSpec&)> const& change) {
        auto out = std::make_shared<pfar::config::SurveyedFile>();
        out->found.name = "fake";
        out->spec.emplace();
        out->spec->name = "fake";
        if (change) change(*out->spec);
        return out;
    }
    bool until(std::function<bool()> const& holds) { return turn_until(context, holds); }
    bool until(servers::State state) {
        return until([&] { return server->state() == state; });
    }
    Later<pfar::Result<servers::Told>> call(std::string session = "s") {
        pfar::wire::Forwarding ask;
        ask.session = std::move(session), ask.method = "tools/call", ask.tool = "echo";
        auto const talk = std::make_shared<pfar::wire::Talk>();
        talk->sent = [](std::uint64_t) { return std::string("{}"); };
        ask.talk = talk;
        return begin(context, server->ask(std::move(ask)));
    }
    FakeLife& life() { return *starts.lives.back(); }
};

} // namespace test
