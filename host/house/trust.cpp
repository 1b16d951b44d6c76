// The list is read, changed and written under the lock.
#include "house/trust.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "house/home_lock.hpp"

#include <fmt/format.h>

namespace pfar::house {
namespace {

std::string standing_of(std::filesystem::path const& file, std::string const& digest) {
    auto const content = base::read_file(file, config::most_config_bytes);
    if (!content) return "missing";
    return base::sha256(*content) == digest ? "trusted" : "changed";
}

} // namespace

Result<Project> find_project(House const& house, std::filesystem::path const& directory) {
    PFAR_TRY(trust, config::TrustList::read(house.places.home));
    auto places = house.places;
    places.directory = directory;
    auto const root = config::project_root(places);
    if (!root)
        return fail(Errc::not_found,
                    fmt::format("no project: neither {} nor a directory above it has a .pfar/mcp", directory.native()));
    Project project{*root, {}};
    for (auto& file : config::survey(places, trust))
        if (file.found.origin == config::Origin::project) project.files.push_back(std::move(file));
    return project;
}

Result<void> trust_files(House const& house, std::vector<config::SurveyedFile> const& files) {
    PFAR_TRY(held, lock_home(house.places.home));
    PFAR_TRY(list, config::TrustList::read(house.places.home));
    for (auto const& file : files) list.trust(file.found.file, file.digest);
    return list.write(house.places.home);
}

Result<std::size_t> forget_project(House const& house, std::filesystem::path const& root) {
    PFAR_TRY(held, lock_home(house.places.home));
    PFAR_TRY(list, config::TrustList::read(house.places.home));
    auto kept = list;
    for (auto const& [file, digest] : list.entries())
        if (base::lies_in(file, root / ".pfar/mcp")) kept.forget(file);
    PFAR_CHECK(kept.write(house.places.home));
    return list.entries().size() - kept.entries().size();
}

Result<std::vector<TrustedFile>> list_trusted(House const& house) {
    PFAR_TRY(list, config::TrustList::read(house.places.home));
    std::vector<TrustedFile> out;
    for (auto const& [file, digest] : list.entries()) out.push_back({file, digest, standing_of(file, digest)});
    return out;
}

} // namespace pfar::house
