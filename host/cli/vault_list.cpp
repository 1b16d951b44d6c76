// pfar vault list and status, and the names that completion offers
#include "cli/candidates.hpp"
#include "cli/json.hpp"
#include "cli/vault_open.hpp"

#include "base/text.hpp"

#include <boost/json.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <set>

namespace pfar::cli {
namespace {

using Time = std::optional<std::chrono::system_clock::time_point>;

std::string for_people(Time const& time, char const* none) {
    return time ? fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(std::chrono::system_clock::to_time_t(*time))) : none;
}

boost::json::value for_scripts(Time const& time) {
    if (!time) return nullptr;
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(*time))).c_str();
}

struct Line {
    Credential entry;
    std::string state; // ok, damaged, missing
    std::vector<std::string> servers;
};

/// What there is, and what servers need and there is not.
std::vector<Line> lines_of(OpenedVault& opened, std::vector<Credential> const& listed) {
    std::map<std::string, Line> lines;
    for (auto const& entry : listed) lines[entry.name] = {entry, entry.trouble.empty() ? "ok" : "damaged", {}};
    for (auto const& [entry, servers] : opened.users) {
        auto const [line, is_new] = lines.try_emplace(entry, Line{{entry, {}, {}}, "ok", {}});
        line->second.servers = servers;
        if (!is_new) continue;
        if (auto const there = opened.vault.has(entry); there && !*there) line->second.state = "missing";
    }
    std::vector<Line> out;
    for (auto& [name, line] : lines) out.push_back(std::move(line));
    return out;
}

boost::json::array as_json(std::vector<Line> const& lines) {
    boost::json::array out;
    for (auto const& line : lines) {
        boost::json::array servers;
        for (auto const& server : line.servers) servers.emplace_back(server);
        out.push_back(boost::json::object{{"name", base::printable(line.entry.name)},
                                          {"state", line.state},
                                          {"set_at", for_scripts(line.entry.set_at)},
                                          {"used_at", for_scripts(line.entry.used_at)},
                                          {"servers", std::move(servers)},
                                          {"reason", base::printable(line.entry.trouble)}});
    }
    return out;
}

void print_lines(std::vector<Line> const& lines, Console& console) {
    std::vector<std::vector<std::string>> rows;
    for (auto const& line : lines)
        rows.push_back({base::printable(line.entry.name),
                        line.state == "ok" ? for_people(line.entry.set_at, "-") : line.state,
                        for_people(line.entry.used_at, "-"),
                        line.servers.empty() ? "-" : base::listed({line.servers.begin(), line.servers.end()})});
    console.table({"NAME", "SET", "LAST USED", "USED BY"}, rows);
    for (auto const& line : lines)
        if (line.state == "missing")
            console.note(fmt::format("missing: pfar vault set {}\n", line.entry.name));
        else if (line.state == "damaged")
            console.note(fmt::format("{} {}; set it anew: pfar vault set {}\n", line.entry.name, line.entry.trouble,
                                     line.entry.name));
}

std::unique_ptr<OpenedVault> open_quietly() {
    auto house = house::open_house("none");
    auto vault = house ? house::Vault::open(*house) : house.error();
    if (!vault) return nullptr;
    auto users = house::users_of_entries(*house);
    auto opened = std::make_unique<OpenedVault>(std::move(*house), std::move(*vault));
    if (users) opened->users = std::move(*users);
    return opened;
}

} // namespace

Error no_such_entry(std::string const& name, std::vector<Credential> const& listed) {
    std::vector<std::string_view> names;
    for (auto const& entry : listed) names.emplace_back(entry.name);
    auto const meant = base::nearest(name, names);
    return fail(Errc::not_found, fmt::format("the vault has no {}{}; pfar vault list shows what it has", name,
                                             meant ? fmt::format(" (did you mean {}?)", *meant) : ""));
}

int run_vault_list(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const opened = open_vault(console, code);
    if (!opened) return code;
    auto const listed = opened->vault.list();
    if (!listed) return failed(console, listed.error());
    auto const lines = lines_of(*opened, *listed);
    if (arguments.has("json"))
        console.print(to_text(as_json(lines)));
    else if (lines.empty())
        console.print("the vault is empty; pfar vault set NAME keeps a credential\n");
    else
        print_lines(lines, console);
    return exit_ok;
}

int run_vault_status(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto opened = open_vault(console, code);
    if (!opened) return code;
    auto const status = opened->vault.status();
    if (!status) return failed(console, status.error());
    bool const can_look = !status->locked && !status->may_ask;
    auto const listed = can_look ? opened->vault.list() : fail(Errc::locked, "");
    std::size_t damaged = 0;
    if (listed)
        for (auto const& entry : *listed) damaged += entry.trouble.empty() ? 0 : 1;
    if (arguments.has("json")) {
        boost::json::object out{{"store", opened->vault.store()},
                                {"locked", status->locked},
                                {"read_only", status->read_only},
                                {"how", base::printable(status->how)},
                                {"advice", base::printable(status->advice)}};
        if (listed) out["entries"] = listed->size(), out["damaged"] = damaged;
        if (can_look && !listed) out["trouble"] = base::printable(listed.error().what);
        console.print(to_text(out));
        return listed || !can_look ? static_cast<int>(exit_ok) : exit_code(listed.error().code);
    }
    console.print(fmt::format("store        {}{}\nkey          {}\n", opened->vault.store(),
                              status->read_only ? " (read-only)" : "", base::printable(status->how)));
    if (listed)
        console.print(fmt::format("credentials  {}{}\n", listed->size(),
                                  damaged == 0 ? "" : fmt::format(", {} damaged: pfar vault list", damaged)));
    else if (!can_look)
        console.print(status->locked ? "credentials  not known while it is locked: pfar vault unlock\n"
                                     : "credentials  not looked at, because that may ask you: pfar vault list\n");
    if (!status->advice.empty()) console.print(fmt::format("advice       {}\n", base::printable(status->advice)));
    return listed || !can_look ? static_cast<int>(exit_ok) : failed(console, listed.error());
}

std::vector<std::string> kept_names() {
    std::vector<std::string> names;
    auto const opened = open_quietly();
    auto const status = opened ? opened->vault.status() : fail(Errc::locked, "");
    auto const listed = status && !status->may_ask ? opened->vault.list() : fail(Errc::locked, "");
    if (listed)
        for (auto const& entry : *listed) names.push_back(entry.name);
    return names;
}

std::vector<std::string> entry_names() {
    auto const kept = kept_names();
    std::set<std::string> names(kept.begin(), kept.end());
    if (auto const opened = open_quietly())
        for (auto const& [entry, servers] : opened->users) names.insert(entry);
    return {names.begin(), names.end()};
}

} // namespace pfar::cli
