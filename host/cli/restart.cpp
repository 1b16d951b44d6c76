// pfar restart, enable and disable
#include "cli/host_client.hpp"
#include "cli/host_commands.hpp"
#include "cli/json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::cli {
namespace {

constexpr std::chrono::minutes for_all{10}; // a server has a start timeout of its own

bool is_up(boost::json::value const& server) {
    auto const state = text_of(server, "state");
    return state == "running" || state == "starting";
}

std::string words_for(boost::json::value const& server) {
    auto const state = text_of(server, "state"), reason = text_of(server, "reason");
    if (reason.starts_with(state)) return fmt::format("{}: {}", text_of(server, "name"), reason);
    return fmt::format("{}: {}{}", text_of(server, "name"), state, reason.empty() ? "" : fmt::format(", {}", reason));
}

/// One server's answer, or those of all.
int tell(boost::json::value const& answer, Arguments const& arguments, bool should_run, Console& console) {
    auto const servers = answer.is_array() ? answer.get_array() : boost::json::array{answer};
    int code = exit_ok;
    for (auto const& server : servers)
        if (should_run && !is_up(server)) code = exit_unavailable;
    if (arguments.has("json")) return console.print(to_text(answer)), code;
    for (auto const& server : servers)
        if (should_run && !is_up(server))
            console.complain(words_for(server));
        else
            console.print(words_for(server) + "\n");
    if (servers.empty()) console.print("no servers\n");
    return code;
}

int change(char const* method, std::string const& server, Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const params = boost::json::serialize(boost::json::object{{"server", server}, {"wait", true}});
    auto const answer = ask_any_host({method, params, for_all, {}}, console, code);
    return answer ? tell(*answer, arguments, std::string_view(method) != "disable", console) : code;
}

} // namespace

int run_restart(Arguments const& arguments, Console& console) {
    if (arguments.operands.empty() == arguments.has("all"))
        return change("restart", arguments.has("all") ? "*" : arguments.operands[0], arguments, console);
    console.complain("restart takes the name of a server, or --all; pfar restart --help explains");
    return exit_usage;
}

int run_enable(Arguments const& arguments, Console& console) {
    return change("enable", arguments.operands[0], arguments, console);
}

int run_disable(Arguments const& arguments, Console& console) {
    return change("disable", arguments.operands[0], arguments, console);
}

} // namespace pfar::cli
