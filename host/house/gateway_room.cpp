// The function values that let rooms talk which do not know each other.
#include "house/gateway_room.hpp"

#include "base/text.hpp"
#include "servers/diagnosis.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace pfar::house {
namespace {

constexpr std::chrono::seconds lately{1};

} // namespace

GatewayRoom::GatewayRoom(Parts parts)
    : parts_(std::move(parts)),
      offers_(parts_.house, [this](servers::Server const& server,
                                   std::vector<OfferRoom::Change> const& changes) { unagreed(server, changes); }),
      own_({parts_.executor, parts_.house, parts_.list_json}), semantics_(parts_.executor, parts_.house),
      pipeline_(parts_.executor, pipeline_means()), gateway_(client_means()) {}

GatewayRoom::~GatewayRoom() {
    close("the host is stopping");
}

pipeline::Means GatewayRoom::pipeline_means() {
    pipeline::Means out;
    out.forward = [this](wire::Forwarding task) { return forward(std::move(task)); };
    out.record = [this](audit::Event event) {
        event.urgent = event.kind == "approval"; // a yes is on disk at once
        parts_.record.add(std::move(event));
    };
    out.record_first = [this](audit::Event event) { return record_first(std::move(event)); };
    out.screen = [this](pipeline::Call const& call) { return own_.screen(call); };
    out.explain = [this](pipeline::Call const& call) { return own_.explain(call); };
    out.semantics = [this](pipeline::Call const& call) -> std::optional<pipeline::Meaning> {
        if (call.offer->identity == OwnTools::identity) return std::nullopt; // what is ours no script judges
        return semantics_.of(call);
    };
    out.current = [this](std::string const& identity) -> pipeline::OfferPtr {
        if (identity == OwnTools::identity) return own_.offer();
        auto const here = server(identity);
        return here ? offers_.of(*here) : nullptr;
    };
    return out;
}

gateway::ClientMeans GatewayRoom::client_means() {
    return {parts_.executor,
            pipeline_,
            [this](std::filesystem::path const& directory) { return seen_from(directory); },
            [this](std::filesystem::path directory, std::chrono::milliseconds most) {
                return settle(std::move(directory), most);
            },
            [this](std::string identity) { return wake(std::move(identity)); },
            [this](wire::Forwarding task) { return forward(std::move(task)); },
            [this](gateway::Client const& client) { forget_session(client.id()); },
            [this](gateway::Client const&) { set_levels(); },
            [this](gateway::Client const& client) { own_.close_session(client.id()); }};
}

std::shared_ptr<servers::Server> GatewayRoom::server(std::string const& identity) const {
    auto const* const roster = parts_.roster();
    if (roster == nullptr) return nullptr;
    auto const found = roster->servers().find(identity);
    return found == roster->servers().end() ? nullptr : found->second;
}

std::vector<pipeline::OfferPtr> const& GatewayRoom::seen_from(std::filesystem::path const& directory) {
    if (seen_.size() > 64) seen_.clear();
    auto const [place, fresh] = seen_.try_emplace(directory);
    auto const* const roster = parts_.roster();
    if (!fresh || roster == nullptr) return place->second;
    auto& out = place->second;
    out.push_back(own_.offer());
    for (auto const& identity : roster->seen_from(directory))
        if (auto const here = server(identity)) out.push_back(offers_.of(*here));
    std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) { return a->name < b->name; });
    return out;
}

boost::asio::awaitable<Result<wire::Back>> GatewayRoom::forward(wire::Forwarding task) {
    if (task.identity == OwnTools::identity) co_return co_await own_.run(std::move(task));
    auto const here = server(task.identity);
    if (!here) co_return fail(Errc::not_found, "its server is gone");
    auto told = co_await here->ask(std::move(task));
    if (!told) co_return told.error();
    auto const is_error = told->answer.is_error;
    auto amended = [hint = std::move(told->hint), is_error](std::string payload) {
        auto const words = hint ? hint(payload) : "";
        return words.empty() ? payload : servers::with_hint(payload, words, is_error);
    };
    co_return wire::Back(is_error, std::move(told->answer.payload), std::move(amended));
}

/// Within the last second it could be written: then it is known soon enough if it no longer can.
boost::asio::awaitable<Result<void>> GatewayRoom::record_first(audit::Event event) {
    bool const known =
        parts_.record.health().has_value() && std::chrono::steady_clock::now() - parts_.record.last_good() < lately;
    if (known && parts_.house.settings.audit_delay.count() > 0) {
        parts_.record.add(std::move(event));
        co_return Result<void>();
    }
    auto begin = [this](auto handler, audit::Event told) {
        auto const waiting = std::make_shared<decltype(handler)>(std::move(handler));
        auto const executor = parts_.executor;
        parts_.record.add(std::move(told), [waiting, executor](Result<void> const& written) {
            boost::asio::post(executor, [waiting, written] { (*waiting)(written); });
        });
    };
    co_return co_await boost::asio::async_initiate<boost::asio::use_awaitable_t<> const, void(Result<void>)>(
        begin, boost::asio::use_awaitable, std::move(event));
}

boost::asio::awaitable<void> GatewayRoom::settle(std::filesystem::path directory, std::chrono::milliseconds most) {
    auto const late = servers::Server::Clock::now() + most;
    std::vector<std::shared_ptr<servers::Server>> all;
    if (auto const* const roster = parts_.roster())
        for (auto const& identity : roster->seen_from(directory))
            if (auto here = server(identity); here && !here->listing()) all.push_back(std::move(here));
    for (auto const& one : all) co_await one->settled(late);
}

boost::asio::awaitable<void> GatewayRoom::wake(std::string identity) {
    auto const here = server(identity);
    if (here) co_await here->wake();
}

void GatewayRoom::forget_session(std::string const& id) {
    own_.close_session(id);
    if (auto const* const roster = parts_.roster())
        for (auto const& [identity, one] : roster->servers()) one->close_session(id);
    set_levels();
}

void GatewayRoom::set_levels() {
    auto const* const roster = parts_.roster();
    if (roster == nullptr) return;
    for (auto const& [identity, one] : roster->servers())
        if (auto const level = gateway_.log_level(identity); !level.empty()) one->set_log_level(level);
}

void GatewayRoom::changed(servers::Server const& server, std::string_view kind) {
    seen_.clear();
    if (kind == "state") return;
    if (kind == "tools") offers_.look_at(server);
    gateway_.list_changed(server.file()->identity.native(), kind);
}

void GatewayRoom::notified(servers::Server const& server, servers::Notice const& notice) {
    gateway_.notified(server.file()->identity.native(), notice.session, notice.uri, notice.method, notice.params);
}

void GatewayRoom::happened(servers::Server const& server, servers::Happening const& happening) {
    auto const& identity = server.file()->identity.native();
    if (happening.kind == "spawn" && happening.outcome == "running") pipeline_.labels().forget(identity);
    if (happening.outcome == "disabled")
        gateway_.say(identity, "error", fmt::format("{} is disabled: {}", server.name(), happening.words));
}

void GatewayRoom::roster_changed() {
    seen_.clear();
    offers_.keep_only([this](std::string const& identity) { return server(identity) != nullptr; });
    for (auto const* const kind : {"tools", "resources", "prompts"}) gateway_.list_changed("", kind);
}

void GatewayRoom::settings_changed() {
    offers_.forget();
    semantics_.reload();
    seen_.clear();
}

void GatewayRoom::unagreed(servers::Server const& server, std::vector<OfferRoom::Change> const& changes) {
    std::vector<std::string> names;
    for (auto const& one : changes) {
        parts_.record.add(
            {"pin", {{"server", server.name()}, {"tool", one.tool}, {"outcome", one.change}, {"pin", one.pin}}});
        if (names.size() < 10) names.push_back(fmt::format("{} ({})", base::printable(one.tool), one.change));
    }
    auto const words = fmt::format(
        "{}: {} {} not as you agreed to: {}{}; each call of {} asks until you run pfar tools accept {}", server.name(),
        changes.size(), changes.size() == 1 ? "tool is" : "tools are", base::listed({names.begin(), names.end()}),
        names.size() < changes.size() ? " and others" : "", changes.size() == 1 ? "it" : "them", server.name());
    spdlog::warn("{}", words);
    gateway_.say(server.file()->identity.native(), "warning", words);
}

bool GatewayRoom::busy() const {
    return gateway_.count() > 0 || !servers_.empty() || pipeline_.approvals().any() || own_.busy();
}

void GatewayRoom::close(std::string const& why) {
    for (auto const& [number, one] : std::exchange(servers_, {})) one->close(why);
    gateway_.close(why);
}

} // namespace pfar::house
