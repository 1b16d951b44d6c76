// pfar status: how one server is, and if it failed, what is known about why
#include "cli/host_client.hpp"
#include "cli/host_commands.hpp"
#include "cli/json.hpp"

#include "base/paths.hpp"
#include "base/text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::cli {
namespace {

std::string line(std::string_view key, std::string const& text) {
    return text.empty() ? "" : fmt::format("{:<12} {}\n", key, text);
}

std::string state_line(boost::json::value const& server) {
    auto state = text_of(server, "state");
    if (auto const uptime = number_of(server, "uptime"); uptime > 0) state += " for " + duration_text(uptime);
    if (auto const reason = text_of(server, "reason"); !reason.empty()) state += ": " + reason;
    return line("state", state);
}

std::string process_lines(boost::json::value const& server) {
    std::string out;
    for (auto const& process : elements_of(server, "processes")) {
        auto text = fmt::format("pid {}", number_of(process, "pid"));
        for (auto const* const key : {"what", "tool", "session"})
            if (auto const value = text_of(process, key); !value.empty()) text += ", " + value;
        out += line(out.empty() ? "processes" : "", text);
    }
    return out;
}

/// Nothing, if the reason says it already.
std::string unless_said(boost::json::value const& server, std::string const& words) {
    return text_of(server, "reason").find(words) != std::string::npos ? "" : ": " + words;
}

/// Where it failed, its last words, what was refused it: in this order one looks for a cause.
std::string diagnosis(boost::json::value const& server) {
    std::string out;
    if (auto const* const failure = server.as_object().if_contains("failure");
        failure != nullptr && failure->is_object())
        out += line("failed in", text_of(*failure, "where") + unless_said(server, text_of(*failure, "words")));
    if (auto const exit = text_of(server, "last_exit"); !unless_said(server, exit).empty())
        out += line("last exit", exit);
    auto const lines = elements_of(server, "stderr");
    if (!lines.empty()) out += "\nits last words on stderr:\n";
    for (auto const& said : lines)
        if (said.is_string()) out += fmt::format("  {}\n", base::printable(std::string_view(said.get_string())));
    auto const domains = elements_of(server, "blocked_domains");
    if (!domains.empty()) out += "\nrefused:\n";
    for (auto const& blocked : domains) {
        out += fmt::format("  {} ({}): {}\n", text_of(blocked, "domain"), times(blocked), text_of(blocked, "why"));
        if (auto const remedy = text_of(blocked, "remedy"); !remedy.empty()) out += fmt::format("    {}\n", remedy);
    }
    return out;
}

std::string server_text(boost::json::value const& server) {
    auto const file = text_of(server, "file");
    auto out = line("name", text_of(server, "name")) + line("about", text_of(server, "description")) +
               state_line(server) + line("note", text_of(server, "note")) +
               line("file", fmt::format("{} ({})", base::for_people(file), text_of(server, "origin"))) +
               line("backend", text_of(server, "backend")) + line("lacks", text_of(server, "lacks")) +
               line("memory", text_of(server, "memory")) + line("label", text_of(server, "label")) +
               line("tools", text_of(server, "tools"));
    auto const name = text_of(server, "server_name");
    if (!name.empty())
        out += line("speaks", fmt::format("MCP {} as {} {}", text_of(server, "protocol"), name,
                                          text_of(server, "server_version")));
    out += line("restarts", fmt::format("{}, {} crashes", number_of(server, "restarts"), number_of(server, "crashes")));
    if (auto const calls = number_of(server, "calls_in_flight"); calls > 0) out += line("calls", std::to_string(calls));
    return out + process_lines(server) + diagnosis(server);
}

} // namespace

int run_status(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const params = boost::json::serialize(boost::json::object{{"server", arguments.operands[0]}});
    auto const server = ask_any_host({"status", params}, console, code);
    if (!server) return code;
    if (arguments.has("json") || !server->is_object())
        console.print(to_text(*server));
    else
        console.print(server_text(*server));
    return exit_ok;
}

} // namespace pfar::cli
