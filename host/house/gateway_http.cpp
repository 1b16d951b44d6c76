// What the HTTP side is told about the rest of the house.
#include "house/gateway_room.hpp"
#include "servers/server.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::house {

gateway::HttpRooms GatewayRoom::http_rooms() {
    gateway::HttpRooms out;
    out.admit = [this](gateway::Arrival arrival) { return gateway_.admit(std::move(arrival)); };
    out.servers = parts_.list_json;
    out.approvals = [this] { return approvals_json(); };
    out.blocked = [this] { return blocked_json(); };
    out.metrics = [this] { return metrics(); };
    out.approve = [this](std::string const& id, bool for_session) -> Result<void> {
        auto const answer = for_session ? pipeline::Answer::session : pipeline::Answer::yes;
        PFAR_TRY(row, pipeline_.approvals().decide(id, answer, "owner's page"));
        return {};
    };
    out.deny = [this](std::string const& id) -> Result<void> {
        PFAR_TRY(row, pipeline_.approvals().decide(id, pipeline::Answer::no, "owner's page"));
        return {};
    };
    return out;
}

std::string GatewayRoom::blocked_json() const {
    boost::json::array out;
    for (auto const& [identity, one] : parts_.roster()->servers())
        for (auto const& blocked : one->blocked())
            out.push_back(boost::json::object{{"server", one->name()},
                                              {"domain", blocked.domain},
                                              {"why", blocked.why},
                                              {"remedy", blocked.remedy},
                                              {"count", blocked.count}});
    return boost::json::serialize(out);
}

std::string GatewayRoom::metrics() const {
    std::map<std::string_view, std::size_t> states;
    std::uint64_t restarts = 0, crashes = 0, in_flight = 0;
    for (auto const& [identity, one] : parts_.roster()->servers()) {
        ++states[base::word_for(servers::state_words, one->state())];
        restarts += one->restarts(), crashes += one->crashes(), in_flight += one->in_flight();
    }
    auto const& counts = pipeline_.counts();
    std::string out = "# TYPE pfar_servers gauge\n";
    for (auto const& [word, state] : servers::state_words)
        out += fmt::format("pfar_servers{{state=\"{}\"}} {}\n", word, states[word]);
    auto const add = [&](std::string_view name, std::string_view type, std::uint64_t value) {
        out += fmt::format("# TYPE {} {}\n{} {}\n", name, type, name, value);
    };
    add("pfar_sessions", "gauge", gateway_.count());
    add("pfar_calls_in_flight", "gauge", in_flight);
    add("pfar_approvals_waiting", "gauge", pipeline_.approvals().rows().size());
    add("pfar_calls_total", "counter", counts.calls);
    add("pfar_calls_refused_total", "counter", counts.refused);
    add("pfar_calls_failed_total", "counter", counts.errors);
    add("pfar_server_restarts_total", "counter", restarts);
    add("pfar_server_crashes_total", "counter", crashes);
    return out;
}

} // namespace pfar::house
