// pfar vault set, remove, rename, and what is about the vault as a whole
#include "cli/vault_open.hpp"

#include "base/text.hpp"
#include "cli/json.hpp"
#include "cli/secret_prompt.hpp"
#include "house/new_server.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <unistd.h>

namespace pfar::cli {
namespace {

/// From the terminal, or where that is none, from stdin.
Result<Secret> take_value(std::string const& name) {
    if (::isatty(STDIN_FILENO) == 1) return ask_hidden_value(fmt::format("Value of {} (not shown)", name));
    PFAR_TRY(value, read_secret(STDIN_FILENO, most_value));
    return without_line_end(std::move(value));
}

std::string plural(std::size_t count, std::string_view word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

bool agrees(Arguments const& arguments, std::string const& question, Console& console, int& code) {
    if (arguments.has("yes")) return true;
    if (!Console::can_ask()) {
        console.complain("there is no terminal to ask on; say --yes if you are sure");
        code = exit_denied;
    } else if (!console.ask(question)) {
        console.complain("nothing was changed");
        code = exit_denied;
    }
    return code == exit_ok;
}

void add_event(OpenedVault& opened, char const* action, std::string const& entry, std::string const& to = "") {
    boost::json::object details{{"action", action}, {"entry", entry}, {"outcome", "ok"}};
    if (!to.empty()) details["to"] = to;
    opened.record.add({"vault", std::move(details)});
}

boost::json::array users_json(OpenedVault const& opened, std::string const& entry) {
    boost::json::array out;
    if (auto const found = opened.users.find(entry); found != opened.users.end())
        for (auto const& user : found->second) out.emplace_back(user);
    return out;
}

/// What `set` says: that it is kept, and what comes of it.
void tell_set(OpenedVault const& opened, Arguments const& arguments, Console& console) {
    auto const& name = arguments.operands[0];
    if (arguments.has("json"))
        return console.print(to_text(boost::json::object{{"name", name}, {"servers", users_json(opened, name)}}));
    auto const users = opened.users_of(name);
    auto const then = users.empty() ? fmt::format("; no server uses it yet: [auth] TOKEN = \"vault:{}\"", name)
                      : arguments.has("no-restart")
                          ? fmt::format("; used by {}, if running from the next start on", users)
                          : fmt::format("; used by {}, started anew if running", users);
    console.print(fmt::format("{} is kept{}\n", name, then));
}

/// Before a person is asked for a value: that it could be kept.
Result<void> check_writable(house::Vault& vault) {
    PFAR_TRY(status, vault.status());
    if (status.read_only)
        return fail(Errc::unsupported, fmt::format("{} cannot be changed here: {}", vault.store(),
                                                   status.advice.empty() ? "it is read-only" : status.advice));
    PFAR_CHECK(vault.list()); // unlocks it
    return {};
}

} // namespace

int run_vault_set(Arguments const& arguments, Console& console) {
    auto const& name = arguments.operands[0];
    if (!is_entry_name(name, console)) return exit_usage;
    int code = exit_ok;
    auto const opened = open_vault(console, code);
    if (!opened) return code;
    if (auto const writable = check_writable(opened->vault); !writable) return failed(console, writable.error());
    auto const value = take_value(name);
    if (!value) return failed(console, value.error());
    if (auto const fits = house::check_value(name, *value, arguments.has("short")); !fits)
        return failed(console, fits.error());
    if (auto const kept = opened->vault.keep(name, *value); !kept) return failed(console, kept.error());
    add_event(*opened, "set", name);
    if (!arguments.has("no-restart")) ring(*opened, console);
    tell_set(*opened, arguments, console);
    return exit_ok;
}

int run_vault_remove(Arguments const& arguments, Console& console) {
    auto const& name = arguments.operands[0];
    if (!is_entry_name(name, console)) return exit_usage;
    int code = exit_ok;
    auto const opened = open_vault(console, code);
    if (!opened) return code;
    auto const listed = opened->vault.list();
    if (!listed) return failed(console, listed.error());
    bool const there =
        std::any_of(listed->begin(), listed->end(), [&](auto const& entry) { return entry.name == name; });
    if (!there) return failed(console, no_such_entry(name, *listed));
    auto const users = opened->users_of(name);
    if (!users.empty()) console.note(fmt::format("{} will not start without it.\n", users));
    if (!agrees(arguments, fmt::format("Forget {}?", name), console, code)) return code;
    if (auto const removed = opened->vault.remove(name); !removed) return failed(console, removed.error());
    add_event(*opened, "remove", name);
    if (arguments.has("json"))
        console.print(to_text(boost::json::object{{"name", name}, {"servers", users_json(*opened, name)}}));
    else
        console.print(fmt::format("{} is forgotten\n", name));
    return exit_ok;
}

int run_vault_rename(Arguments const& arguments, Console& console) {
    auto const &from = arguments.operands[0], &to = arguments.operands[1];
    if (!is_entry_name(from, console) || !is_entry_name(to, console)) return exit_usage;
    int code = exit_ok;
    auto const opened = open_vault(console, code);
    if (!opened) return code;
    if (auto const renamed = opened->vault.rename(from, to); !renamed) return failed(console, renamed.error());
    add_event(*opened, "rename", from, to);
    ring(*opened, console);
    auto const users = opened->users_of(from);
    if (arguments.has("json"))
        console.print(to_text(boost::json::object{{"from", from}, {"to", to}, {"servers", users_json(*opened, from)}}));
    else
        console.print(fmt::format("{} is now {}\n", from, to));
    if (!users.empty())
        console.complain(fmt::format("warning: {} still asks for vault:{}; change that to vault:{}", users, from, to));
    return exit_ok;
}

int run_vault_change_key(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const opened = open_vault(console, code);
    if (!opened) return code;
    if (auto const changed = opened->vault.change_key(); !changed) return failed(console, changed.error());
    opened->record.add({"vault", {{"action", "change-key"}, {"outcome", "ok"}}});
    auto const status = opened->vault.status();
    auto const listed = opened->vault.list();
    auto const how = status ? status->how : "";
    if (arguments.has("json"))
        console.print(to_text(boost::json::object{{"how", how}, {"entries", listed ? listed->size() : 0}}));
    else
        console.print(fmt::format("the vault has a new key ({}); sealed anew: {}\n", how,
                                  plural(listed ? listed->size() : 0, "credential")));
    return exit_ok;
}

int run_vault_unlock(Arguments const& /*arguments*/, Console& console) {
    int code = exit_ok;
    auto const opened = open_vault(console, code);
    if (!opened) return code;
    auto const before = opened->vault.status();
    if (!before) return failed(console, before.error());
    if (!before->locked && !before->new_passphrase && !before->changes_to_one) { // otherwise: for longer
        console.print(fmt::format("there is nothing to unlock: {}\n", before->how));
        return exit_ok;
    }
    if (auto const done = opened->vault.unlock(); !done) return failed(console, done.error());
    ring(*opened, console); // a host may wait for it
    auto const status = opened->vault.status();
    console.print(fmt::format("unlocked{}\n", status ? ": " + status->how : ""));
    return exit_ok;
}

int run_vault_lock(Arguments const& /*arguments*/, Console& console) {
    int code = exit_ok;
    auto const opened = open_vault(console, code);
    if (!opened) return code;
    if (auto const done = opened->vault.lock(); !done) return failed(console, done.error());
    console.print("locked\n");
    return exit_ok;
}

} // namespace pfar::cli
