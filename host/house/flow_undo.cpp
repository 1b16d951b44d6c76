#include "house/flow_undo.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "config/values.hpp"
#include "house/flow_arguments.hpp"
#include "house/vault_bell.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

bool stays_below(std::string const& text) {
    fs::path const path = text;
    return !path.empty() && path.is_relative() && path == path.lexically_normal() && *path.begin() != "..";
}

/// A journal is a file: whatever wrote it, nothing outside of the home is touched for it.
Result<void> check_step(json::object const& step) {
    bool good = true;
    for (auto const* const key : {"package", "claim", "disabled"})
        good = good && (!step.contains(key) || config::parse_server_name(text_at(step, key)));
    for (auto const* const key : {"path", "remove", "kept", "moved", "aside"})
        good = good && (!step.contains(key) || stays_below(text_at(step, key)));
    if (auto const* const made = step.if_contains("made"); made != nullptr && made->is_array())
        for (auto const& path : made->get_array())
            good = good && path.is_string() && stays_below(std::string(path.get_string()));
    if (good) return {};
    return fail(Errc::refused,
                "its journal makes no sense and is not followed; look at it, and remove it from run/flows");
}

/// What put_in_place() has moved aside.
std::vector<fs::path> set_aside(fs::path const& home, std::string const& server) {
    std::vector<fs::path> out;
    std::error_code error;
    auto const prefix = fmt::format(".{}.before-", server);
    for (fs::directory_iterator at(home / "mcp-servers", error); !error && at != fs::directory_iterator();
         at.increment(error))
        if (at->path().filename().native().starts_with(prefix)) out.push_back(at->path());
    std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) { // the oldest first
        auto const one = a.native().size(), other = b.native().size();
        return one != other ? one < other : a < b;
    });
    return out;
}

/// Somebody has written it since.
bool is_not_ours(json::object const& step, fs::path const& path) {
    auto const* const wrote = step.if_contains("wrote");
    auto const text = wrote != nullptr && wrote->is_array() ? base::read_file(path, most_journal)
                                                            : Result<std::string>(std::string());
    if (wrote == nullptr || !wrote->is_array() || !text) return false;
    auto const& ours = wrote->get_array();
    return std::find(ours.begin(), ours.end(), json::value(base::sha256(*text))) == ours.end();
}

Result<void> restore_file(json::object const& step, fs::path const& home, fs::path const& directory) {
    fs::path const path = home / text_at(step, "path");
    ::unlink((path.parent_path() / ("." + path.filename().native() + ".new")).c_str()); // of a write that was cut off
    if (is_not_ours(step, path)) return {};
    if (auto const kept = text_at(step, "kept"); !kept.empty()) {
        PFAR_TRY(text, base::read_file(directory / kept, most_journal));
        return base::write_file(path, text, 0600);
    }
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return fail(Errc::io,
                fmt::format("{} could not be removed: {}", base::printable(path.native()), base::errno_text(errno)));
}

Result<void> restore_package(json::object const& step, fs::path const& home) {
    auto const server = text_at(step, "package");
    auto const place = home / "mcp-servers" / server;
    auto const aside = set_aside(home, server);
    if (aside.empty()) return flag_at(step, "had") ? Result<void>() : remove_tree(place);
    PFAR_CHECK(remove_tree(place));
    if (flag_at(step, "had")) PFAR_CHECK(rename_path(aside.front(), place));
    for (auto const& later : set_aside(home, server)) PFAR_CHECK(remove_tree(later));
    return {};
}

Result<void> restore_moved(json::object const& step, fs::path const& home) {
    auto const place = home / text_at(step, "moved"), aside = home / text_at(step, "aside");
    std::error_code error;
    if (!fs::exists(aside, error)) return {}; // it was not moved, or is back already
    return rename_path(aside, place);         // over an empty one; what somebody has made there since stays
}

/// What was set by this conversation: known to the nanosecond, or if it was killed before it could note that, about when.
bool is_of_flow(json::object const& step, std::int64_t time) {
    constexpr std::int64_t second = 1'000'000'000, a_while = 60;
    if (auto const* const set = step.if_contains("set"); set != nullptr && set->is_int64())
        return set->get_int64() == time;
    auto const* const at = step.if_contains("at");
    return at == nullptr || !at->is_int64() || time / second < at->get_int64() + a_while;
}

Result<void> restore_entry(json::object const& step, Vault& vault) {
    auto const entry = text_at(step, "entry"), backup = text_at(step, "backup");
    PFAR_TRY(there, vault.has(entry));
    PFAR_TRY(kept, backup.empty() ? Result<bool>(false) : vault.has(backup));
    PFAR_TRY(time, set_time(vault, entry));
    if (there && time && !is_of_flow(step, *time)) return kept ? vault.remove(backup) : Result<void>();
    if (backup.empty() || kept)
        if (there) PFAR_CHECK(vault.remove(entry));
    return kept ? vault.rename(backup, entry) : Result<void>();
}

} // namespace

Result<void> remove_tree(fs::path const& path) {
    auto const error = base::remove_tree(path);
    if (!error) return {};
    return fail(Errc::io, fmt::format("{} could not be removed: {}; remove it yourself", base::printable(path.native()),
                                      error.message()));
}

/// When it was set, in nanoseconds; none if the store does not know.
Result<std::optional<std::int64_t>> set_time(Vault& vault, std::string const& entry) {
    PFAR_TRY(all, vault.list());
    for (auto const& one : all)
        if (one.name == entry && one.set_at)
            return std::chrono::duration_cast<std::chrono::nanoseconds>(one.set_at->time_since_epoch()).count();
    return std::optional<std::int64_t>();
}

Result<void> rename_path(fs::path const& from, fs::path const& to) {
    if (::rename(from.c_str(), to.c_str()) == 0) return {};
    return fail(Errc::io,
                fmt::format("{} could not be put back: {}", base::printable(to.native()), base::errno_text(errno)));
}

Result<void> undo_step(json::object const& step, UndoPlaces const& places, OpenVault const& vault, bool keep_entries) {
    PFAR_CHECK(check_step(step));
    if (step.contains("path")) return restore_file(step, places.home, places.journal);
    if (step.contains("package")) return restore_package(step, places.home);
    if (step.contains("moved")) return restore_moved(step, places.home);
    if (auto const* const made = step.if_contains("made"); made != nullptr && made->is_array())
        for (auto const& path : made->get_array())
            if (path.is_string()) PFAR_CHECK(remove_tree(places.home / std::string(path.get_string())));
    if (!step.contains("entry") || (keep_entries && !step.contains("backup"))) return {};
    PFAR_TRY(opened, vault());
    PFAR_CHECK(restore_entry(step, *opened));
    return ring_vault_bell(places.home);
}

Result<void> finish_step(json::object const& step, UndoPlaces const& places, OpenVault const& vault) {
    PFAR_CHECK(check_step(step));
    if (step.contains("package"))
        for (auto const& old : set_aside(places.home, text_at(step, "package"))) PFAR_CHECK(remove_tree(old));
    if (step.contains("remove")) return remove_tree(places.home / text_at(step, "remove"));
    auto const entry = step.contains("forget") ? text_at(step, "forget") : text_at(step, "backup");
    if (entry.empty()) return {};
    PFAR_TRY(opened, vault());
    PFAR_TRY(there, opened->has(entry));
    PFAR_TRY(time, set_time(*opened, entry));
    bool const newer = step.contains("forget") && time && !is_of_flow(step, *time);
    return there && !newer ? opened->remove(entry) : Result<void>();
}

} // namespace pfar::house
