// pfar list
#include "cli/host_client.hpp"
#include "cli/host_commands.hpp"
#include "cli/json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::cli {
namespace {

std::string or_dash(std::string text) {
    return text.empty() || text == "0" ? "-" : text;
}

/// Why it is so and what to do, each on a line of its own.
std::string lines_below(boost::json::value const& server) {
    std::string out;
    if (auto const* const here = server.as_object().if_contains("here");
        here != nullptr && here->is_bool() && !here->get_bool())
        out += fmt::format("    {}: to be used from its project's directory\n", text_of(server, "file"));
    for (auto const* const key : {"reason", "note"})
        if (auto const text = text_of(server, key); !text.empty()) out += fmt::format("    {}\n", text);
    for (auto const& blocked : elements_of(server, "blocked_domains"))
        if (auto const remedy = text_of(blocked, "remedy"); !remedy.empty())
            out += fmt::format("    refused {}: {}; {}\n", times(blocked), text_of(blocked, "domain"), remedy);
    return out;
}

void print_servers(boost::json::array const& servers, Console& console) {
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> below;
    for (auto const& server : servers) {
        rows.push_back({text_of(server, "name"), text_of(server, "state"), text_of(server, "tools"),
                        text_of(server, "label"), or_dash(text_of(server, "backend")),
                        or_dash(text_of(server, "memory")), or_dash(text_of(server, "pid")),
                        text_of(server, "restarts"), or_dash(text_of(server, "blocked")), text_of(server, "origin")});
        below.push_back(lines_below(server));
    }
    console.table({"NAME", "STATE", "TOOLS", "LABEL", "BACKEND", "MEMORY", "PID", "RESTARTS", "BLOCKED", "ORIGIN"},
                  rows, below);
}

} // namespace

int run_list(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const servers = ask_any_host({"list"}, console, code);
    if (!servers) return code;
    if (arguments.has("json"))
        console.print(to_text(*servers));
    else if (!servers->is_array() || servers->get_array().empty())
        console.print("no servers yet; pfar add makes a server file\n");
    else
        print_servers(servers->get_array(), console);
    return exit_ok;
}

} // namespace pfar::cli
