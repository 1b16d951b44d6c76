// One that is shadowed is not the server of that name; one that waits for trust is, and must not be used yet.
#include "house/find_server.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::house {

Result<config::SurveyedFile> find_server(House const& house, std::string const& name) {
    PFAR_TRY(trust, config::TrustList::read(house.places.home));
    auto files = config::survey(house.places, trust);
    std::vector<std::string_view> names;
    for (auto const& file : files) names.emplace_back(file.found.name);
    auto const is_meant = [&](auto const& file) {
        return file.found.name == name && file.role != config::SurveyedFile::Role::shadowed;
    };
    auto const found = std::find_if(files.begin(), files.end(), is_meant);
    if (found == files.end()) {
        auto const meant = base::nearest(name, names);
        return fail(Errc::not_found,
                    fmt::format("there is no server \"{}\"{}; pfar check lists all", base::printable(name),
                                meant ? fmt::format(" (did you mean \"{}\"?)", *meant) : ""));
    }
    if (found->role == config::SurveyedFile::Role::waits)
        return fail(Errc::refused, fmt::format("{} is a project's server and not trusted yet; run pfar trust", name));
    if (!found->spec)
        return fail(Errc::invalid,
                    fmt::format("{} has mistakes; pfar check {} tells which", found->found.file.native(), name));
    return std::move(*found);
}

} // namespace pfar::house
