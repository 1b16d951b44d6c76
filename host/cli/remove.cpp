// pfar remove
#include "house/remove_server.hpp"

#include "base/text.hpp"
#include "cli/json.hpp"
#include "cli/vault_open.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::cli {
namespace {

using boost::json::array;
using boost::json::object;

std::string shown(std::filesystem::path const& path) {
    return base::printable(base::for_people(path));
}

bool is_tree(std::filesystem::path const& path) {
    std::error_code error;
    return std::filesystem::is_directory(std::filesystem::symlink_status(path, error));
}

/// Exactly what goes.
std::string list_of(house::Removal const& removal, bool purge) {
    auto out = fmt::format("  {}\n", shown(removal.file.found.file));
    if (!purge) return out;
    for (auto const& path : removal.leavings)
        out += fmt::format("  {}{}\n", shown(path), is_tree(path) ? "/ and all in it" : "");
    for (auto const& entry : removal.entries) out += fmt::format("  {} in the vault\n", entry);
    return out;
}

bool agrees(Arguments const& arguments, house::Removal const& removal, Console& console) {
    if (arguments.has("yes")) return true;
    if (!Console::can_ask()) {
        console.complain("there is no terminal to ask on; say --yes if you are sure");
        return false;
    }
    console.note(list_of(removal, arguments.has("purge")));
    if (console.ask(fmt::format("Remove {}?", removal.file.found.name))) return true;
    console.complain("nothing was changed");
    return false;
}

/// Those of its entries that the vault has, asked only if nobody is bothered by it.
std::vector<std::string> entries_there(house::Removal const& removal, house::Vault* vault) {
    if (vault == nullptr) return removal.entries;
    std::vector<std::string> out;
    for (auto const& entry : removal.entries)
        if (auto const there = vault->has(entry); !there || *there) out.push_back(entry);
    return out;
}

void print(house::Removal const& removal, house::Removed const& removed, bool purge, Console& console) {
    console.print(fmt::format("{} is removed ({})\n", removal.file.found.name, shown(removal.file.found.file)));
    if (removal.behind) console.print(fmt::format("  kept     {}, the file behind the link\n", shown(*removal.behind)));
    for (auto const& path : removal.leavings)
        console.print(purge ? fmt::format("  removed  {}\n", shown(path))
                            : fmt::format("  kept     {} (rm -r removes it)\n", shown(path)));
    if (purge)
        for (auto const& entry : removed.entries) console.print(fmt::format("  removed  {} from the vault\n", entry));
    else
        for (auto const& entry : removal.entries)
            console.print(fmt::format("  kept     {0} in the vault (pfar vault remove {0} removes it)\n", entry));
    if (removal.successor)
        console.print(fmt::format("  now      {} is {}\n", removal.file.found.name, shown(*removal.successor)));
}

std::string as_json(house::Removal const& removal, house::Removed const& removed, bool purge) {
    array paths, entries, left;
    for (auto const& path : removal.leavings) paths.emplace_back(base::printable(path.native()));
    for (auto const& entry : purge ? removed.entries : removal.entries) entries.emplace_back(entry);
    for (auto const& [path, why] : removed.left)
        left.push_back(object{{"path", base::printable(path.native())}, {"why", why}});
    return to_text(object{{"name", removal.file.found.name},
                          {"file", base::printable(removal.file.found.file.native())},
                          {"purged", purge},
                          {"paths", std::move(paths)},
                          {"entries", std::move(entries)},
                          {"left", std::move(left)},
                          {"now", removal.successor ? base::printable(removal.successor->native()) : ""}});
}

/// The vault, for --purge, if there is something in it to remove.
Result<void> open_for(house::Removal const& removal, house::House const& house, std::optional<house::Vault>& vault,
                      house::Vault::Ask ask) {
    if (removal.entries.empty()) return {};
    PFAR_TRY(opened, house::Vault::open(house, std::move(ask)));
    vault.emplace(std::move(opened));
    PFAR_CHECK(vault->list());
    return {};
}

void record(house::House const& house, house::Removed const& removed) {
    if (removed.entries.empty()) return;
    house::Record record(house);
    for (auto const& entry : removed.entries)
        record.add({"vault", {{"action", "remove"}, {"entry", entry}, {"outcome", "ok"}}});
}

} // namespace

int run_remove(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto const house = open_for_vault(console, code);
    if (!house) return code;
    auto removal = house::plan_removal(*house, arguments.operands[0]);
    if (!removal) return failed(console, removal.error());
    bool const purge = arguments.has("purge");
    std::optional<house::Vault> vault;
    if (purge) {
        auto const opened = open_for(*removal, *house, vault, ask_passphrase(console));
        if (!opened) return failed(console, opened.error());
    }
    removal->entries = entries_there(*removal, vault ? &*vault : nullptr);
    if (!agrees(arguments, *removal, console)) return exit_denied;
    auto const removed = house::remove_server(*house, *removal, purge, vault ? &*vault : nullptr);
    if (!removed) return failed(console, removed.error());
    record(*house, *removed);
    if (arguments.has("json"))
        console.print(as_json(*removal, *removed, purge));
    else
        print(*removal, *removed, purge, console);
    for (auto const& [path, why] : removed->left)
        console.complain(
            fmt::format("{} could not be removed: {}; remove it yourself", base::printable(path.native()), why));
    return removed->left.empty() ? static_cast<int>(exit_ok) : static_cast<int>(exit_io);
}

} // namespace pfar::cli
