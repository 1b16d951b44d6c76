#include "house/server_reports.hpp"

#include "wire/json_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::house {
namespace {

constexpr std::size_t told_lines = 20;

boost::json::array blocked_json(std::vector<servers::BlockedDomain> const& blocked) {
    boost::json::array out;
    for (auto const& one : blocked)
        out.push_back(boost::json::object{
            {"domain", one.domain}, {"why", one.why}, {"remedy", one.remedy}, {"count", one.count}});
    return out;
}

std::uint64_t total(std::vector<servers::BlockedDomain> const& blocked) {
    std::uint64_t sum = 0;
    for (auto const& one : blocked) sum += one.count;
    return sum;
}

std::string origin_of(config::SurveyedFile const& file) {
    return std::string(base::word_for(config::origin_words, file.found.origin));
}

boost::json::value parsed_schema(std::string_view json) {
    boost::system::error_code error;
    auto value = boost::json::parse(boost::json::string_view(json.data(), json.size()), error);
    return error ? boost::json::value() : value;
}

} // namespace

boost::json::object list_row(servers::Server const& server) {
    auto const& spec = server.spec();
    auto const blocked = server.blocked();
    auto const& facts = server.facts();
    boost::json::object out{{"name", server.name()},
                            {"origin", origin_of(*server.file())},
                            {"state", base::word_for(servers::state_words, server.state())},
                            {"backend", facts ? facts->backend : spec.sandbox.backend},
                            {"label", base::word_for(base::label_words, spec.label)},
                            {"tools", server.listing() ? server.listing()->tools.size() : 0},
                            {"pid", nullptr},
                            {"restarts", server.restarts()},
                            {"blocked", total(blocked)},
                            {"reason", server.reason()}};
    if (server.pid() != 0) out["pid"] = server.pid();
    out["file"] = server.file()->found.file.native();
    out["memory"] = facts ? facts->memory : "";
    out["lacks"] = facts ? facts->lacks : "";
    out["description"] = spec.description;
    out["stateful"] = spec.stateful;
    out["share"] = base::word_for(base::share_words, spec.share);
    out["note"] = server.note();
    out["blocked_domains"] = blocked_json(blocked);
    return out;
}

boost::json::object list_row(Roster::Idle const& idle) {
    return {{"name", idle.file.found.name},
            {"origin", origin_of(idle.file)},
            {"state", idle.broken ? "failed" : "stopped"},
            {"backend", ""},
            {"label", ""},
            {"tools", 0},
            {"pid", nullptr},
            {"restarts", 0},
            {"blocked", 0},
            {"reason", idle.reason},
            {"file", idle.file.found.file.native()},
            {"memory", ""},
            {"lacks", ""},
            {"description", ""},
            {"note", ""},
            {"blocked_domains", boost::json::array()}};
}

boost::json::object status_of(servers::Server& server) {
    auto out = list_row(server);
    auto const uptime =
        std::chrono::duration_cast<std::chrono::seconds>(servers::Server::Clock::now() - server.since()).count();
    out["since"] = uptime; // in this state, in seconds
    out["uptime"] = server.state() == servers::State::running ? uptime : 0;
    out["crashes"] = server.crashes();
    out["last_exit"] = server.last_exit();
    out["stderr"] = boost::json::value_from(server.log().last(told_lines));
    out["calls_in_flight"] = server.in_flight();
    out["pool"] = server.waiting_processes();
    out["cache"] = !server.listing() ? "none" : server.listing_is_old() ? "from an earlier start" : "of this process";
    boost::json::array processes;
    for (auto const& one : server.processes())
        processes.push_back(boost::json::object{{"pid", one.pid}, {"what", one.what}});
    out["processes"] = std::move(processes);
    out["failure"] = nullptr;
    if (server.failure()) out["failure"] = {{"where", server.failure()->where}, {"words", server.failure()->words}};
    if (auto const& listing = server.listing()) {
        out["protocol"] = listing->facts.protocol;
        out["server_name"] = listing->facts.name;
        out["server_version"] = listing->facts.version;
        out["resources"] = listing->resources.size() + listing->templates.size();
        out["prompts"] = listing->prompts.size();
    }
    return out;
}

void add_tools(boost::json::array& out, servers::Server const& server, pipeline::Offer const& offer,
               SemanticsRoom& semantics) {
    auto const& spec = server.spec();
    for (auto const& tool : offer.tools) {
        auto const word = semantics.of(server.name(), tool);
        auto const judgement = judged(spec, tool, word);
        auto const asks = tool.pinned ? offer.approve_of(tool.name) : base::Approve::always;
        out.push_back(boost::json::object{{"name", fmt::format("{}.{}", server.name(), tool.name)},
                                          {"server", server.name()},
                                          {"semantics", judgement.reads ? "read" : "write"},
                                          {"why", judgement.why},
                                          {"by_arguments", judgement.by_arguments},
                                          {"approve", base::word_for(base::approve_words, asks)},
                                          {"pinned", tool.pinned},
                                          {"label", base::word_for(base::label_words, spec.label)},
                                          {"description", wire::string_in(wire::member_of(tool.json, "description"))},
                                          {"title", wire::string_in(wire::member_of(tool.json, "title"))},
                                          {"agents_call_it", tool.public_name},
                                          {"input_schema", parsed_schema(wire::member_of(tool.json, "inputSchema"))}});
    }
}

} // namespace pfar::house
