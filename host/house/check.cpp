// Two kinds of findings meet here: what a file says about itself, and what it says about plugins.
#include "house/check.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::house {
namespace {

using config::Mistake;
using config::Severity;

/// The plugin that a [plugins.NAME] speaks to: there is none, or it refused what it was told.
void check_plugin_tables(House const& house, std::vector<Mistake>& mistakes) {
    std::vector<std::string_view> names;
    for (auto const& plugin : house.plugins.all()) names.emplace_back(plugin.identity.name);
    for (auto const& [given, table] : house.settings.plugins) {
        auto const& name = given; // clang 14 does not let a lambda have the binding itself
        auto const& refused = house.plugins.refused();
        auto const refusal =
            std::find_if(refused.begin(), refused.end(), [&](auto const& r) { return r.name == name; });
        if (refusal != refused.end())
            mistakes.push_back({Severity::error, table.where, refusal->why, "", "", ""});
        else if (std::find(names.begin(), names.end(), name) == names.end()) {
            auto const meant = base::nearest(name, names);
            mistakes.push_back(
                {Severity::error, table.where, fmt::format("there is no plugin named \"{}\"", base::printable(name)),
                 base::listed(names, "or"), meant ? fmt::format("did you mean [plugins.{}]?", *meant) : "", ""});
        }
    }
}

void check_choice(House const& house, char const* kind, std::string const& key, std::string const& wanted,
                  std::vector<Mistake>& mistakes) {
    auto names = house.plugins.names(kind);
    if (wanted == "auto" || house.plugins.find(kind, wanted) != nullptr) return;
    names.insert(names.begin(), "auto");
    auto const meant = base::nearest(wanted, names);
    mistakes.push_back({Severity::error,
                        {},
                        fmt::format("{}: there is no {} plugin \"{}\"", key, kind, base::printable(wanted)),
                        base::listed(names, "or"),
                        meant ? fmt::format("did you mean \"{}\"?", *meant) : "",
                        ""});
}

CheckedFile check_settings(House const& house) {
    CheckedFile out{house.settings_file, "host", "", "ok", "", house.settings_mistakes};
    check_plugin_tables(house, out.mistakes);
    check_choice(house, "sandbox", "sandbox.backend", house.settings.sandbox_backend, out.mistakes);
    check_choice(house, "egress", "egress.filter", house.settings.egress_filter, out.mistakes);
    check_choice(house, "credentials", "credentials.store", house.settings.credential_store, out.mistakes);
    return out;
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

void settle(CheckedFile& file) {
    if (count(file.mistakes, Severity::error) > 0) file.state = "invalid";
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
    auto surveyed = config::survey(house.places, trust);
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
