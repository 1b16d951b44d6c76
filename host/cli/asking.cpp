#include "cli/asking.hpp"

#include "base/text.hpp"
#include "cli/json_layout.hpp"
#include "control/members.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::cli {
namespace {

constexpr std::size_t most_shown = 64U << 10U;

std::string shown(std::string_view row, std::string_view key) {
    return base::printable(control::string_in(control::member_of(row, key)));
}

} // namespace

std::optional<control::Client> running_host(Console& console, int& code) {
    auto const finding = host_of_home(console, code);
    if (!finding) return {};
    auto client = control::find_host(*finding);
    if (client) return std::move(*client);
    if (client.error().code != Errc::not_found) code = failed(console, client.error());
    return {};
}

std::optional<std::string> ask_text(control::Client& client, control::Question const& question, Console& console,
                                    int& code) {
    auto answer = client.ask(question);
    if (answer) return std::move(*answer);
    code = failed(console, answer.error());
    return {};
}

bool goes_without_terminal(control::Client& client, Console& console, int& code) {
    auto const policy = ask_host(client, {"policy"}, console, code);
    if (!policy) return false;
    if (flag_of(*policy, "approve_without_terminal")) return true;
    console.complain("there is no terminal to ask you on, so nothing is approved; run it in a terminal, or set "
                     "policy.approve_without_terminal = true in pfar.toml");
    code = exit_denied;
    return false;
}

std::string approval_text(std::string_view row) {
    auto arguments = indented(control::member_of(row, "arguments"));
    if (arguments.size() > most_shown)
        arguments =
            base::printable(arguments.substr(0, most_shown)) +
            fmt::format("\n... and {} bytes more: pfar approvals --json has all\n", arguments.size() - most_shown);
    auto const why = shown(row, "why");
    return fmt::format("{}.{} wants to run (session {})\n{}arguments: {}", shown(row, "server"), shown(row, "tool"),
                       shown(row, "session"), why.empty() ? "" : fmt::format("why: {}\n", why), arguments);
}

} // namespace pfar::cli
