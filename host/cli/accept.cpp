// pfar tools accept: what is agreed to is exactly what was shown, tool by tool and by its digest
#include "base/text.hpp"
#include "cli/agent_commands.hpp"
#include "cli/asking.hpp"
#include "cli/json.hpp"
#include "cli/person.hpp"
#include "cli/tool_changes.hpp"
#include "control/members.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <unistd.h>

namespace pfar::cli {
namespace {

struct Changes {
    std::string server, list; // the list as the host gave it
    std::size_t count = 0;
};

std::optional<Changes> ask_changes(control::Client& client, std::string const& server, Console& console, int& code) {
    auto const params = boost::json::serialize(boost::json::object{{"server", server}});
    auto const answer = ask_text(client, {"tool_changes", params}, console, code);
    if (!answer) return {};
    Changes changes{server, std::string(control::member_of(*answer, "changes"))};
    changes.count = control::elements_of(changes.list).size();
    return changes;
}

/// Whoever is asked sees it where they are asked, whatever stdout is.
bool agrees(control::Client& client, Changes const& changes, bool json, Console& console, int& code) {
    auto const text = changes_text(changes.server, changes.list);
    auto const person = Person::at_terminal();
    if (!json) console.print(text);
    if (!person) return goes_without_terminal(client, console, code);
    if (json || ::isatty(STDOUT_FILENO) != 1) person->show(text);
    if (person->agrees(changes.count == 1 ? "Accept it?" : fmt::format("Accept these {}?", changes.count))) return true;
    console.complain("nothing was accepted; these tools go on asking each time");
    code = exit_denied;
    return false;
}

int tell(boost::json::value const& answer, Changes const& changes, bool json, Console& console) {
    auto const left = elements_of(answer, "left");
    if (json) {
        console.print(to_text(answer));
    } else {
        auto const count = number_of(answer, "accepted");
        console.print(
            fmt::format("{} of {} {} accepted\n", count, base::printable(changes.server), count == 1 ? "is" : "are"));
    }
    for (auto const& tool : left)
        if (tool.is_string())
            console.complain(
                fmt::format("{}.{} has changed again meanwhile and is not accepted; pfar tools accept {} shows it",
                            changes.server, base::printable(std::string_view(tool.get_string())), changes.server));
    return left.empty() ? exit_ok : exit_unavailable;
}

} // namespace

int run_tools_accept(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    bool const json = arguments.has("json");
    auto client = reach_host(console, code);
    auto const changes = client ? ask_changes(*client, arguments.operands[0], console, code) : std::nullopt;
    if (!changes) return code;
    if (changes->count == 0) {
        console.print(json ? to_text(boost::json::object{{"accepted", 0}, {"left", boost::json::array()}})
                           : fmt::format("nothing has changed: all tools of {} are accepted\n",
                                         base::printable(changes->server)));
        return exit_ok;
    }
    if (!agrees(*client, *changes, json, console, code)) return code;
    auto const params =
        fmt::format(R"({{"server":{},"pins":{}}})", control::quoted(changes->server), pins_of(changes->list));
    auto const answer = ask_host(*client, {"tools_accept", params}, console, code);
    return answer ? tell(*answer, *changes, json, console) : code;
}

} // namespace pfar::cli
