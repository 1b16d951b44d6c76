// The verbs that write and remove servers' files.
#include "base/files.hpp"
#include "base/text.hpp"
#include "config/table_text.hpp"
#include "config/values.hpp"
#include "house/flow_arguments.hpp"
#include "house/flow_verbs.hpp"
#include "house/home_lock.hpp"
#include "house/new_server.hpp"
#include "house/remove_server.hpp"
#include "house/rewrite.hpp"
#include "house/roster.hpp"
#include "servers/find_command.hpp"
#include "servers/server_wish.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <sys/stat.h>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using flows::Done;

/// What is written into the file is a path: the one that counts on this machine today.
Result<void> settle_command(json::object& table, FlowSetting const& setting) {
    auto* const server = table.if_contains("server");
    auto* const section = server != nullptr ? server->if_object() : nullptr;
    auto* const command = section != nullptr ? section->if_contains("command") : nullptr;
    if (command == nullptr || !command->is_string()) return {};
    std::string const wanted(command->get_string());
    if (wanted.starts_with('/')) return {};
    if (wanted == "pfar-http")
        return *command = (setting.house.layout.shim.parent_path() / wanted).native(), Result<void>();
    PFAR_TRY(found, servers::find_command(wanted, setting.search_path, setting.house.places.user_home));
    *command = found.native();
    return {};
}

/// What was more confidential stays so: a lower label is its owner's to write. Empty if it is as high already.
std::string_view higher_label(House const& house, std::string const& name, json::object const& table) {
    auto const there = find_file(house, name);
    if (!there || !there->spec) return "";
    auto const wanted = text_at(table, "label");
    auto next = base::Label::internal;
    for (auto const& [word, label] : base::label_words)
        if (word == wanted) next = label;
    return there->spec->label > next ? base::word_for(base::label_words, there->spec->label) : "";
}

/// In one sentence, with the words that it is to be one of.
std::string in_words(config::Mistake const& mistake) {
    auto fix = mistake.fix.empty() ? mistake.expected : mistake.fix;
    if (fix.find("one of these") != std::string::npos) fix += ": " + mistake.expected;
    return fmt::format("{}; {}", mistake.what, fix);
}

/// An earlier backup stays, unless it is the same.
std::string free_backup(fs::path const& directory, std::string const& name, std::string const& text) {
    for (int number = 1;; ++number) {
        auto const backup = name + (number == 1 ? ".toml.bak" : fmt::format(".toml.bak-{}", number));
        auto const there = base::read_file(directory / backup, config::most_config_bytes);
        if (there ? *there == text : there.error().code == Errc::not_found) return backup;
    }
}

} // namespace

Result<Done> FlowVerbs::config_write(Arguments const& given) {
    auto const name = first_text(given);
    auto const* const wanted = table_at(given, 1);
    if (!config::parse_server_name(name) || wanted == nullptr) return misuse("config.write", "a name and a table");
    PFAR_CHECK(journal_.claim(name));
    json::object table = *wanted;
    table["name"] = name;
    if (auto const label = higher_label(setting_.house, name, table); !label.empty()) {
        table["label"] = label;
        if (!written_.contains(name)) setting_.talk.say(fmt::format("It keeps its label, {}.", label));
    }
    PFAR_CHECK(settle_command(table, setting_));
    PFAR_TRY(text, config::table_text(table));
    auto const& places = setting_.house.places;
    config::FoundFile const found{name, config::Origin::user, places.home / "mcp" / (name + ".toml"), places.home};
    auto const read = config::read_server_file(config::Source(text), config::context_of(found, places));
    for (auto const& mistake : read.mistakes)
        if (mistake.severity == config::Severity::error)
            return fail(Errc::unsupported, // what was answered is no mistake of the script's
                        fmt::format("{}: {}", name, in_words(mistake)));
    std::error_code error;
    bool const is_new = !fs::exists(found.file, error);
    if (is_new && !written_.contains(name)) PFAR_CHECK(put_state_aside(name));
    if (!is_new) PFAR_CHECK(note_disabled(name, found.file));
    if (!is_new) PFAR_CHECK(keep_old_file(name, found.file));
    PFAR_CHECK(journal_.changes_file(fs::path("mcp") / (name + ".toml"), text));
    PFAR_CHECK(journal_.may_make(makings(name))); // a host that runs starts it as soon as the file is there
    PFAR_TRY(held, lock_home(places.home));
    ::mkdir((places.home / "mcp").c_str(), 0700);
    PFAR_CHECK(base::write_file(found.file, text, 0600));
    written_.insert(name);
    setting_.record.add({"config", {{"action", "write"}, {"server", name}, {"by", "connect"}}});
    return Done{json::string(found.file.native())};
}

/// True the first time it is looked at, if it is.
Result<bool> FlowVerbs::note_disabled(std::string const& name, fs::path const& file) {
    std::error_code error;
    if (!looked_at_.insert(name).second) return false;
    if (!read_disabled(setting_.house.places.home).contains(fs::canonical(file, error))) return false;
    PFAR_CHECK(journal_.was_disabled(name));
    return true;
}

Result<void> FlowVerbs::put_state_aside(std::string const& name) {
    auto const& home = setting_.house.places.home;
    auto const state = fs::path("state") / name;
    std::error_code error;
    if (!fs::is_directory(home / state, error) || fs::is_empty(home / state, error)) return {};
    auto const prompt = fmt::format("{} has what an earlier server called {} has kept. May this one have it?",
                                    base::for_people(home / state), name);
    PFAR_TRY(
        may,
        run("ask", {json::object{{"name", "reuse_state"}, {"prompt", prompt}, {"yes_no", true}, {"default", "no"}}}));
    if (may.value == true) return {};
    PFAR_TRY(aside, journal_.moves_aside(state));
    setting_.talk.say(fmt::format("It stays there as {}.", base::for_people(home / aside)));
    return {};
}

/// What its owner wrote there is not lost, if it was not this conversation's.
Result<void> FlowVerbs::keep_old_file(std::string const& name, fs::path const& file) {
    replaced_.insert(name);
    if (written_.contains(name)) return {};
    PFAR_TRY(text, base::read_file(file, config::most_config_bytes));
    auto const backup = fs::path("mcp") / free_backup(setting_.house.places.home / "mcp", name, text);
    PFAR_CHECK(journal_.changes_file(backup, text));
    PFAR_CHECK(base::write_file(setting_.house.places.home / backup, text, 0600));
    setting_.talk.say(
        fmt::format("Its file as it was is kept as {}.", base::for_people(setting_.house.places.home / backup)));
    return {};
}

/// The file goes now and can come back; what else there is of it goes when all is well.
Result<Done> FlowVerbs::config_remove(Arguments const& given) {
    auto const name = first_text(given);
    auto const* const options = table_at(given, 1);
    PFAR_TRY(removal, plan_removal(setting_.house, name));
    PFAR_CHECK(journal_.claim(name));
    if (removal.file.found.origin != config::Origin::user)
        return fail(Errc::refused, fmt::format("{} is not yours alone: {} has it; remove it there", name,
                                               base::printable(removal.file.found.file.native())));
    auto const& home = setting_.house.places.home;
    PFAR_CHECK(note_disabled(name, removal.file.found.file));
    PFAR_CHECK(journal_.changes_file(removal.file.found.file.lexically_relative(home)));
    if (!removal.pins.empty()) PFAR_CHECK(journal_.changes_file(removal.pins.lexically_relative(home)));
    PFAR_TRY(removed, remove_server(setting_.house, removal, false, nullptr));
    for (auto const& path : removal.leavings) PFAR_CHECK(journal_.when_done_remove(path.lexically_relative(home)));
    auto const* const forget = options != nullptr ? options->if_contains("forget") : nullptr;
    if (forget != nullptr && forget->is_bool() && forget->get_bool() && !removal.entries.empty()) {
        PFAR_TRY(vault, setting_.vault());
        for (auto const& entry : removal.entries) PFAR_CHECK(journal_.when_done_forget(entry, *vault));
    }
    setting_.record.add({"config", {{"action", "remove"}, {"server", name}, {"by", "disconnect"}}});
    PFAR_CHECK(ask_host("reload", {}, short_patience));
    wait_for_files(*host_, home);
    json::array entries(removal.entries.begin(), removal.entries.end());
    return Done{json::object{{"entries", std::move(entries)}}};
}

} // namespace pfar::house
