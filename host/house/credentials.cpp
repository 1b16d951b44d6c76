#include "house/credentials.hpp"

#include "base/text.hpp"
#include "config/survey.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace pfar::house {
namespace {

using Found = std::map<std::string, Secret>;

/// Text and entries, put together where nobody else looks.
Secret joined(config::AuthValue const& value, Found const& found) {
    auto const text_of = [&](config::AuthPiece const& piece) {
        return piece.secret ? found.at(piece.text).reveal() : std::string_view(piece.text);
    };
    std::size_t size = 0;
    for (auto const& piece : value.pieces) size += text_of(piece).size();
    return Secret::filled(size, [&](char* to) {
        for (auto const& piece : value.pieces) {
            auto const text = text_of(piece);
            to = std::copy(text.begin(), text.end(), to);
        }
    });
}

/// A store that only reads knows better than we do where its entries come from.
std::string remedy_for(Vault& vault, std::string const& name) {
    auto const status = vault.status();
    if (!status || !status->read_only) return "pfar vault set " + name;
    auto const found = vault.find(name);
    return found ? "try again" : found.error().what;
}

Error missing_error(Vault& vault, std::string const& server, std::vector<std::string> const& missing) {
    std::string needs, remedy;
    for (auto const& name : missing) {
        needs += (needs.empty() ? "vault:" : " and vault:") + name;
        remedy += (remedy.empty() ? "" : "; ") + remedy_for(vault, name);
    }
    return fail(Errc::not_found, fmt::format("{} needs {}: {}", server, needs, remedy));
}

Result<Found> find_all(Vault& vault, std::vector<std::string> const& names, std::string const& server) {
    Found found;
    std::vector<std::string> missing;
    for (auto const& name : names) {
        auto value = vault.find(name);
        if (value)
            found.emplace(name, std::move(*value));
        else if (value.error().code == Errc::not_found)
            missing.push_back(name);
        else
            return fail(value.error().code, fmt::format("{}: {}", server, value.error().what));
    }
    if (!missing.empty()) return missing_error(vault, server, missing);
    return found;
}

/// The kernel ends a variable at the first NUL, and takes none of 128 KiB.
Result<void> check_variable(std::string const& server, config::AuthValue const& value, Secret const& made) {
    constexpr std::size_t most = (128U << 10U) - 1;
    bool const has_nul = made.reveal().find('\0') != std::string_view::npos;
    if (!has_nul && value.name.size() + 1 + made.size() < most) return {};
    return fail(Errc::invalid, fmt::format("{}: what the vault has for {} {}, which no variable can hold; put it under "
                                           "[auth.files]",
                                           server, value.name, has_nul ? "has a NUL byte in it" : "is too long"));
}

} // namespace

void Credentials::add_to(spawn::Additions& additions) const {
    for (auto const& [name, value] : variables) additions.secrets.emplace_back(name, &value);
    for (auto const& [name, value] : files) additions.files.emplace_back(name, &value);
}

std::vector<std::string> entries_of(std::vector<config::AuthValue> const& auth,
                                    std::vector<config::AuthValue> const& files) {
    std::set<std::string> names;
    for (auto const* const values : {&auth, &files})
        for (auto const& value : *values)
            for (auto const& piece : value.pieces)
                if (piece.secret) names.insert(piece.text);
    return {names.begin(), names.end()};
}

Result<void> check_all_there(Vault& vault, servers::Wish const& wish) {
    std::vector<std::string> missing;
    for (auto const& name : entries_of(wish.auth, wish.auth_files)) {
        PFAR_TRY(there, vault.has(name));
        if (!there) missing.push_back(name);
    }
    if (!missing.empty()) return missing_error(vault, wish.name, missing);
    return {};
}

Result<Credentials> look_up(Vault& vault, servers::Wish const& wish) {
    auto const names = entries_of(wish.auth, wish.auth_files);
    PFAR_TRY(listed, vault.list()); // first: what is set after this counts as a change
    PFAR_TRY(found, find_all(vault, names, wish.name));
    Credentials out;
    for (auto const& value : wish.auth) {
        out.variables.emplace_back(value.name, joined(value, found));
        PFAR_CHECK(check_variable(wish.name, value, out.variables.back().second));
    }
    for (auto const& value : wish.auth_files) out.files.emplace_back(value.name, joined(value, found));
    for (auto const& name : names) out.entries[name];
    for (auto const& entry : listed)
        if (auto const used = out.entries.find(entry.name); used != out.entries.end()) used->second = entry.set_at;
    for (auto& [name, value] : found) out.values.emplace_back(name, std::move(value));
    return out;
}

std::shared_ptr<base::Redactor const> redactor_of(Credentials const& credentials) {
    std::vector<base::Redactor::Known> known;
    for (auto const& [name, value] : credentials.values) known.push_back({name, &value});
    return std::make_shared<base::Redactor const>(known);
}

Result<void> record_use(Record& record, std::string const& server, Credentials const& credentials) {
    boost::json::array entries;
    for (auto const& [name, set_at] : credentials.entries) entries.emplace_back(name);
    return record.write({"credential", {{"server", server}, {"outcome", "given"}, {"entries", std::move(entries)}}});
}

Result<bool> is_out_of_date(Vault& vault, EntryTimes const& given) {
    PFAR_TRY(listed, vault.list());
    return std::any_of(listed.begin(), listed.end(), [&](Credential const& entry) {
        auto const used = given.find(entry.name);
        return used != given.end() && used->second != entry.set_at;
    });
}

Result<std::map<std::string, std::vector<std::string>>> users_of_entries(House const& house) {
    PFAR_TRY(trust, config::TrustList::read(house.places.home));
    std::map<std::string, std::vector<std::string>> out;
    for (auto const& file : config::survey(house.places, trust)) {
        if (!file.spec || file.role == config::SurveyedFile::Role::shadowed) continue;
        for (auto const& entry : entries_of(file.spec->auth, file.spec->auth_files))
            out[entry].push_back(file.found.name);
    }
    if (auto const& entry = house.settings.egress_upstream_auth; !entry.empty()) out[entry].emplace_back("pfar.toml");
    return out;
}

} // namespace pfar::house
