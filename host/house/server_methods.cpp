// What may be asked of the servers over the control socket. Methods look things up and pass them on.
#include "house/rooms.hpp"
#include "house/server_reports.hpp"
#include "servers/diagnosis.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::house {
namespace {

using Clock = std::chrono::steady_clock;

/// A text under a key of the params; empty if there is none.
std::string text_in(std::string const& params, std::string_view key) {
    return wire::string_in(wire::member_of(params, key));
}

std::string brief(servers::Server const& server) {
    return boost::json::serialize(boost::json::object{{"name", server.name()},
                                                      {"state", base::word_for(servers::state_words, server.state())},
                                                      {"reason", server.reason()}});
}

} // namespace

Result<std::shared_ptr<servers::Server>> ServerRooms::Rooms::named(Request const& request) const {
    return roster->find(text_in(request.params, "server"), request.caller->directory());
}

/// All that are open; what belongs to another project is told so.
boost::json::array ServerRooms::Rooms::list(std::filesystem::path const& directory) const {
    std::map<std::pair<std::string, std::string>, boost::json::object> rows; // by name, then file
    for (auto const& [identity, server] : roster->servers())
        rows.emplace(std::pair(server->name(), identity), list_row(*server));
    for (auto const& idle : roster->idle())
        rows.emplace(std::pair(idle.file.found.name, idle.file.identity.native()), list_row(idle));
    auto const seen = roster->seen_from(directory);
    boost::json::array out;
    for (auto& [key, row] : rows) {
        row["here"] = directory.empty() || seen.contains(key.second);
        out.push_back(std::move(row));
    }
    return out;
}

Answer ServerRooms::Rooms::answer_list(Request request) {
    co_return boost::json::serialize(list(request.caller->directory()));
}

Answer ServerRooms::Rooms::answer_status(Request request) {
    auto const server = named(request);
    if (!server) co_return server.error();
    co_return boost::json::serialize(status_of(**server));
}

Answer ServerRooms::Rooms::answer_tools(Request request) {
    boost::json::array out;
    if (text_in(request.params, "server").empty()) {
        for (auto const& [identity, server] : roster->servers())
            add_tools(out, *server, *gateway->offers().of(*server), gateway->semantics());
    } else {
        auto const server = named(request);
        if (!server) co_return server.error();
        co_await (*server)->settled(Clock::now() + std::chrono::seconds(3));
        add_tools(out, **server, *gateway->offers().of(**server), gateway->semantics());
    }
    co_return boost::json::serialize(out);
}

Answer ServerRooms::Rooms::answer_logs(Request request) {
    auto const server = named(request);
    if (!server) co_return server.error();
    auto const lines = wire::number_in(wire::member_of(request.params, "lines"));
    boost::json::object out{{"lines", boost::json::value_from((*server)->log().last(lines.value_or(100)))}};
    if (wire::member_of(request.params, "follow") == "true") {
        auto listener = [caller = std::weak_ptr(request.caller)](std::string const& line) {
            if (auto const here = caller.lock())
                (void)here->tell("log", fmt::format(R"({{"line":{}}})", wire::quoted(line)));
        };
        auto const number = (*server)->log().listen(std::move(listener));
        request.caller->when_gone([weak = std::weak_ptr(*server), number] {
            if (auto const here = weak.lock()) here->log().unlisten(number);
        });
    }
    co_return boost::json::serialize(out);
}

Answer ServerRooms::Rooms::answer_restart(Request request) {
    auto const late = Clock::now() + std::chrono::seconds(40);
    bool const waits = wire::member_of(request.params, "wait") != "false";
    std::vector<std::shared_ptr<servers::Server>> chosen;
    bool const all = text_in(request.params, "server") == "*";
    if (all) {
        for (auto const& [identity, server] : roster->servers()) chosen.push_back(server);
    } else {
        auto const server = named(request);
        if (!server) co_return server.error();
        chosen.push_back(*server);
    }
    for (auto const& server : chosen) server->restart("restarted by its owner");
    (void)roster->keep_disabled();
    boost::json::array rows;
    for (auto const& server : chosen) {
        if (waits) co_await server->settled(late);
        rows.push_back(boost::json::parse(brief(*server)));
    }
    co_return all ? boost::json::serialize(rows) : boost::json::serialize(rows.front());
}

Answer ServerRooms::Rooms::answer_enable(Request request) {
    auto const server = named(request);
    if (!server) co_return server.error();
    if (!(*server)->disabled().empty()) (*server)->restart("enabled by its owner");
    (void)roster->keep_disabled();
    co_await (*server)->settled(Clock::now() + std::chrono::seconds(40));
    co_return brief(**server);
}

Answer ServerRooms::Rooms::answer_disable(Request request) {
    auto const server = named(request);
    if (!server) co_return server.error();
    (*server)->disable(fmt::format("disabled by its owner; to start it again: pfar enable {}", (*server)->name()));
    auto const kept = roster->keep_disabled();
    auto const late = Clock::now() + std::chrono::seconds(12);
    co_await (*server)->resting(late);
    if (!kept) co_return kept.error();
    co_return brief(**server);
}

/// Lines wait a moment for company; whoever reads the record wants to see them.
Answer ServerRooms::Rooms::answer_settle_record() {
    std::function<bool()> settle = [this] { return record.settle(), true; };
    (void)co_await worker.run(executor, std::move(settle));
    co_return std::string("{}");
}

} // namespace pfar::house
