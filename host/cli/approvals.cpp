// pfar approvals, approve and deny: no host is started for them, since without one nothing waits
#include "base/text.hpp"
#include "cli/agent_commands.hpp"
#include "cli/asking.hpp"
#include "cli/json_layout.hpp"
#include "cli/person.hpp"
#include "control/members.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::cli {
namespace {

constexpr std::size_t most_in_a_row = 60;

std::string brief(std::string_view json) {
    auto text = base::printable(on_one_line(json));
    if (text.size() <= most_in_a_row) return text;
    auto stop = most_in_a_row;
    while (stop > 0 && (static_cast<unsigned char>(text[stop]) & 0xC0U) == 0x80U) --stop;
    return text.substr(0, stop) + "...";
}

void print_approvals(std::string_view approvals, Console& console) {
    std::vector<std::vector<std::string>> rows;
    for (auto const text : control::elements_of(approvals)) {
        boost::system::error_code bad;
        auto const row = boost::json::parse(boost::json::string_view(text.data(), text.size()), bad);
        rows.push_back({text_of(row, "id"), fmt::format("{}.{}", text_of(row, "server"), text_of(row, "tool")),
                        text_of(row, "session"), text_of(row, "why"), duration_text(number_of(row, "expires_in")),
                        brief(control::member_of(text, "arguments"))});
    }
    if (rows.empty()) return console.print("nothing waits for you\n");
    console.table({"ID", "TOOL", "SESSION", "WHY", "EXPIRES", "ARGUMENTS"}, rows);
    console.print("pfar approve ID shows one in full and asks; pfar deny ID refuses it\n");
}

/// The row whose id it is, or whose id alone begins with it. Empty if there is none: then the host has the word.
Result<std::string> find_row(std::string_view approvals, std::string_view id) {
    std::vector<std::string_view> begun;
    for (auto const row : control::elements_of(approvals)) {
        auto const known = control::string_in(control::member_of(row, "id"));
        if (known == id) return std::string(row);
        if (!id.empty() && known.starts_with(id)) begun.push_back(row);
    }
    if (begun.size() > 1)
        return fail(Errc::invalid, fmt::format("{} approvals begin with \"{}\"; give more of the id", begun.size(),
                                               base::printable(id)));
    return begun.empty() ? std::string() : std::string(begun[0]);
}

struct Chosen {
    control::Client client;
    std::string row, id; // no row: nobody knows it
};

/// Complains and sets `code` if the host cannot be asked or several are meant.
std::optional<Chosen> choose(std::string const& id, Console& console, int& code) {
    auto client = running_host(console, code);
    if (!client && code == exit_ok)
        code = failed(console, fail(Errc::not_found, "no host runs, so nothing waits for you"));
    auto const approvals = client ? ask_text(*client, {"approvals"}, console, code) : std::nullopt;
    if (!approvals) return {};
    auto row = find_row(*approvals, id);
    if (row) {
        auto full = row->empty() ? id : control::string_in(control::member_of(*row, "id"));
        return Chosen{std::move(*client), std::move(*row), std::move(full)};
    }
    console.complain(row.error().what);
    code = exit_usage;
    return {};
}

bool agrees(Chosen& chosen, bool for_session, Console& console, int& code) {
    if (for_session && control::member_of(chosen.row, "once") == "true") {
        console.complain("this asks every time, so it cannot be approved for a session; approve it without --for");
        code = exit_usage;
        return false;
    }
    auto const person = Person::at_terminal();
    if (!person) return goes_without_terminal(chosen.client, console, code);
    person->show(approval_text(chosen.row));
    if (person->agrees(for_session ? "Approve it, and this tool for the rest of the session?" : "Approve it, once?"))
        return true;
    console.complain("nothing was approved; pfar deny refuses it at once");
    code = exit_denied;
    return false;
}

int decide(Chosen& chosen, char const* method, boost::json::object params, Arguments const& arguments,
           Console& console) {
    int code = exit_ok;
    auto const text = boost::json::serialize(params);
    auto const row = ask_text(chosen.client, {method, text}, console, code);
    if (!row) return code;
    if (arguments.has("json"))
        console.print(indented(*row));
    else
        console.print(fmt::format("{} {}\n", base::printable(chosen.id),
                                  method == std::string_view("deny") ? "is denied" : "is approved"));
    return exit_ok;
}

} // namespace

int run_approvals(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto client = running_host(console, code);
    if (!client && code != exit_ok) return code;
    auto const approvals = client ? ask_text(*client, {"approvals"}, console, code) : std::string("[]");
    if (!approvals) return code;
    if (arguments.has("json"))
        console.print(indented(*approvals));
    else
        print_approvals(*approvals, console);
    return exit_ok;
}

int run_approve(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const given = arguments.options.find("for");
    bool const for_session = given != arguments.options.end() && given->second == "session";
    if (given != arguments.options.end() && !for_session && given->second != "once") {
        console.complain(fmt::format("--for is once or session, not \"{}\"", base::printable(given->second)));
        return exit_usage;
    }
    auto chosen = choose(arguments.operands[0], console, code);
    if (!chosen) return code;
    if (chosen->row.empty()) chosen->id.clear(); // what nobody was shown is not approved, even if it came meanwhile
    if (!chosen->row.empty() && !agrees(*chosen, for_session, console, code)) return code;
    return decide(*chosen, "approve", {{"id", chosen->id}, {"for", for_session ? "session" : "once"}}, arguments,
                  console);
}

int run_deny(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto chosen = choose(arguments.operands[0], console, code);
    return chosen ? decide(*chosen, "deny", {{"id", chosen->id}}, arguments, console) : code;
}

} // namespace pfar::cli
