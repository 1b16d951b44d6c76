// Two kinds of findings meet here: what a file says about itself, and what it says about plugins.
#include "house/check.hpp"

#include "base/text.hpp"
#include "config/findings.hpp"
#include "house/registries.hpp"
#include "house/semantics_room.hpp"
#include "house/vault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace pfar::house {
namespace {

using config::Severity;

/// The plugin that a [plugins.NAME] speaks to: there is none, or it refused what it was told.
void check_plugin_tables(House const& house, config::Findings& findings) {
    std::vector<std::string_view> names;
    for (auto const& plugin : house.plugins.all()) names.emplace_back(plugin.identity.name);
    for (auto const& [given, table] : house.settings.plugins) {
        auto const& name = given; // clang 14 does not let a lambda have the binding itself
        auto const& refused = house.plugins.refused();
        auto const refusal =
            std::find_if(refused.begin(), refused.end(), [&](auto const& r) { return r.name == name; });
        if (refusal != refused.end()) {
            findings.error(
                table.where,
                {refusal->why, "settings that the plugin takes",
                 fmt::format("put it right in [plugins.{}], or remove it; the plugin's README lists its settings",
                             base::printable(name))});
        } else if (std::find(names.begin(), names.end(), name) == names.end()) {
            auto const meant = base::nearest(name, names);
            findings.error(
                table.where,
                {fmt::format("there is no plugin named \"{}\"", base::printable(name)), base::listed(names, "or"),
                 meant ? fmt::format("did you mean [plugins.{}]?", *meant) : "remove it, or install the plugin"});
        }
    }
}

/// Plugins that pfar.toml names by path and that are not there or were refused.
void check_paths(House const& house, config::Findings& findings) {
    for (auto const& path : house.settings.plugin_paths)
        for (auto const& refusal : house.plugins.refused())
            if (refusal.path == path || refusal.path.parent_path() == path)
                findings.error(house.settings.paths_at, {refusal.why, "plugin files, or directories of them",
                                                         "put it right, or take it out of plugins.paths"});
}

struct Choosing {
    char const *kind, *key;
    std::string const& wanted;
    config::Where where;
};

void check_choice(House const& house, Choosing const& choosing, config::Findings& findings) {
    auto names = house.plugins.names(choosing.kind);
    if (choosing.wanted == "auto" || house.plugins.find(choosing.kind, choosing.wanted) != nullptr) return;
    names.insert(names.begin(), "auto");
    auto const meant = base::nearest(choosing.wanted, names);
    findings.error(
        choosing.where,
        {fmt::format("{}: there is no {} plugin \"{}\"", choosing.key, choosing.kind, base::printable(choosing.wanted)),
         base::listed(names, "or"),
         meant ? fmt::format("did you mean \"{}\"?", *meant) : "pfar plugins lists what is installed"});
}

CheckedFile check_settings(House const& house) {
    config::Findings findings(house.settings_text, true);
    findings.take(house.settings_mistakes);
    check_plugin_tables(house, findings);
    check_paths(house, findings);
    auto const& settings = house.settings;
    check_choice(house, {"sandbox", "sandbox.backend", settings.sandbox_backend, settings.backend_at}, findings);
    check_choice(house, {"egress", "egress.filter", settings.egress_filter, settings.filter_at}, findings);
    check_choice(house, {"credentials", "credentials.store", settings.credential_store, settings.store_at}, findings);
    return {house.settings_file, "host", "", "ok", "", std::move(findings).sorted()};
}

CheckedFile as_checked(config::SurveyedFile file) {
    CheckedFile out{file.found.file,
                    std::string(base::word_for(config::origin_words, file.found.origin)),
                    file.found.name,
                    "ok",
                    "",
                    std::move(file.mistakes)};
    if (file.role == config::SurveyedFile::Role::waits)
        out.state = "waits", out.note = file.standing == config::Standing::changed
                                            ? "changed since it was trusted: run pfar trust"
                                            : "not trusted yet: run pfar trust";
    else if (file.role == config::SurveyedFile::Role::shadowed)
        out.state = "shadowed", out.note = "a file of the same name comes before it";
    return out;
}

/// What a server needs of the vault and it does not have.
void warn_of_missing(config::SurveyedFile& file, Vault& vault) {
    if (!file.spec) return;
    for (auto const* const values : {&file.spec->auth, &file.spec->auth_files})
        for (auto const& value : *values)
            for (auto const& piece : value.pieces) {
                auto const there = piece.secret ? vault.has(piece.text) : true;
                if (!there || *there) continue; // one that is locked is asked by whoever starts the server
                file.mistakes.push_back(
                    {Severity::warning, value.where,
                     fmt::format("the vault has no {}, and {} will not start without it", piece.text, file.spec->name),
                     "", fmt::format("run: pfar vault set {}", piece.text), ""});
            }
}

void warn_of_missing(std::vector<config::SurveyedFile>& files, House const& house) {
    bool const uses_vault = std::any_of(files.begin(), files.end(), [](auto const& file) {
        return file.spec && (!file.spec->auth.empty() || !file.spec->auth_files.empty());
    });
    if (!uses_vault) return;
    auto vault = Vault::open(house); // nobody is asked for anything for this
    auto const status = vault ? vault->status() : vault.error();
    if (!status || status->may_ask) return;
    for (auto& file : files) warn_of_missing(file, *vault);
}

void settle(CheckedFile& file) {
    if (count(file.mistakes, Severity::error) > 0) file.state = "invalid";
}

/// "FILE:LINE: what is wrong", as a registry says it.
config::Mistake template_mistake(std::string const& words) {
    config::Mistake out{Severity::error, {}, words, "", "put it right: until then it cannot be connected", ""};
    auto const [end, error] = std::from_chars(words.data(), words.data() + words.size(), out.where.line);
    if (error == std::errc()) out.where.column = 1, out.what.assign(end, words.data() + words.size());
    if (out.what.starts_with(": ")) out.what.erase(0, 2);
    return out;
}

/// In the file that it names.
void add_template_mistake(std::vector<CheckedFile>& files, std::string const& trouble) {
    auto const named = std::find_if(files.begin(), files.end(), [&](auto const& file) {
        return trouble.find(file.file.native()) != std::string::npos;
    });
    auto& file = named == files.end() ? files.front() : *named;
    auto const place = file.file.native() + ":";
    auto const at = trouble.find(place);
    file.mistakes.push_back(template_mistake(at == std::string::npos ? trouble : trouble.substr(at + place.size())));
}

/// The owner's own. A registry reads them all at once and names those that it cannot use.
std::vector<CheckedFile> check_templates(House const& house) {
    std::vector<CheckedFile> out;
    std::error_code error;
    for (std::filesystem::directory_iterator at(house.places.home / "templates", error), end; !error && at != end;
         at.increment(error))
        if (at->path().extension() == ".toml") out.push_back({at->path(), "host", "", "ok", "", {}});
    std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) { return a.file < b.file; });
    if (out.empty()) return out;
    for (auto const& trouble : registry_troubles(house)) add_template_mistake(out, trouble.what);
    return out;
}

/// pfar.toml is named like any other file; everything else is a server's.
CheckedFile check_named(House const& house, config::TrustList const& trust, std::filesystem::path const& file) {
    if (file.filename() == "pfar.toml") {
        std::error_code error;
        if (std::filesystem::equivalent(file, house.settings_file, error)) return check_settings(house);
    }
    return as_checked(config::survey_file(config::locate(file, house.places), house.places, trust));
}

} // namespace

Result<std::vector<CheckedFile>> check_files(House const& house, std::vector<std::string> const& files) {
    PFAR_TRY(trust, config::TrustList::read(house.places.home));
    std::vector<CheckedFile> out;
    std::error_code error;
    if (files.empty() && (std::filesystem::exists(house.settings_file, error) || !house.settings_mistakes.empty()))
        out.push_back(check_settings(house));
    if (files.empty())
        for (auto& script : check_scripts(house)) out.push_back(std::move(script));
    if (files.empty())
        for (auto& one : check_templates(house)) out.push_back(std::move(one));
    auto surveyed = config::survey(house.places, trust);
    warn_of_missing(surveyed, house);
    for (auto& file : surveyed)
        if (files.empty() || std::find(files.begin(), files.end(), file.found.name) != files.end())
            out.push_back(as_checked(std::move(file)));
    for (auto const& name : files) {
        bool const is_name = name.find('/') == std::string::npos && !name.ends_with(".toml");
        if (!is_name)
            out.push_back(check_named(house, trust, name));
        else if (std::none_of(out.begin(), out.end(), [&](auto const& file) { return file.name == name; }))
            return fail(Errc::not_found,
                        fmt::format("there is no server \"{}\"; name a file as a path, such as ./{}.toml",
                                    base::printable(name), base::printable(name)));
    }
    for (auto& file : out) settle(file);
    return out;
}

} // namespace pfar::house
