// pfar sessions
#include "cli/agent_commands.hpp"
#include "cli/asking.hpp"
#include "cli/json_layout.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::cli {
namespace {

std::string or_dash(std::string text) {
    return text.empty() || text == "0" ? "-" : text;
}

void print_sessions(boost::json::value const& sessions, Console& console) {
    std::vector<std::vector<std::string>> rows;
    for (auto const& session : sessions.is_array() ? sessions.get_array() : boost::json::array()) {
        auto client = text_of(session, "client");
        if (auto const version = text_of(session, "version"); !version.empty()) client += " " + version;
        auto const server = text_of(session, "server");
        rows.push_back({text_of(session, "id"), or_dash(client), text_of(session, "transport"),
                        server.empty() ? "(all)" : server, or_dash(text_of(session, "pid")),
                        duration_text(number_of(session, "since")), text_of(session, "label"),
                        text_of(session, "taint"), std::to_string(number_of(session, "in_flight")),
                        std::to_string(number_of(session, "calls"))});
    }
    if (rows.empty()) return console.print("nobody is connected\n");
    console.table({"ID", "CLIENT", "BY", "SERVER", "PID", "SINCE", "LABEL", "TAINT", "IN FLIGHT", "CALLS"}, rows);
}

} // namespace

int run_sessions(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto client = running_host(console, code);
    if (!client && code != exit_ok) return code;
    auto const answer = client ? ask_text(*client, {"sessions"}, console, code) : std::string("[]");
    if (!answer) return code;
    boost::system::error_code bad;
    auto const sessions = boost::json::parse(*answer, bad);
    if (arguments.has("json"))
        console.print(indented(*answer));
    else
        print_sessions(sessions, console);
    return exit_ok;
}

} // namespace pfar::cli
