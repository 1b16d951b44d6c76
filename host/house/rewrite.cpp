#include "house/rewrite.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace pfar::house {
namespace {

using config::SurveyedFile;

std::string remedy(SurveyedFile const& file, House const& house) {
    if (file.found.origin != config::Origin::system) return "make it writable: chmod u+w it and its directory";
    return fmt::format("run this as root, or copy the file to {}, which comes before it",
                       base::printable((house.places.home / "mcp").native()));
}

} // namespace

Result<std::string> read_same(SurveyedFile const& file) {
    PFAR_TRY(text, base::read_file(file.identity, config::most_config_bytes));
    if (base::sha256(text) == file.digest) return text;
    return fail(Errc::conflict, fmt::format("{} is being changed by somebody else; try again",
                                            base::printable(file.found.file.native())));
}

Result<void> check_writable(SurveyedFile const& file, House const& house) {
    for (auto const& path : {file.identity, file.identity.parent_path()})
        if (::access(path.c_str(), W_OK) != 0)
            return fail(Errc::refused, fmt::format("{} may not be written ({}); {}", base::printable(path.native()),
                                                   base::errno_text(errno), remedy(file, house)));
    return {};
}

Result<void> rewrite(std::filesystem::path const& file, std::string const& text) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0)
        return fail(Errc::io, fmt::format("{} could not be looked at: {}", base::printable(file.native()),
                                          base::errno_text(errno)));
    PFAR_CHECK(base::write_file(file, text, status.st_mode & 07777U));
    bool const is_ours = status.st_uid == ::geteuid() && status.st_gid == ::getegid();
    if (!is_ours && ::lchown(file.c_str(), status.st_uid, status.st_gid) != 0 && ::geteuid() == 0)
        return fail(Errc::io, fmt::format("{} was changed, but belongs to root now: {}", base::printable(file.native()),
                                          base::errno_text(errno)));
    return {};
}

Result<void> keep_trusted(House const& house, SurveyedFile const& file, std::string const& text) {
    if (file.found.origin != config::Origin::project) return {};
    PFAR_TRY(list, config::TrustList::read(house.places.home));
    list.trust(file.found.file, base::sha256(text));
    return list.write(house.places.home);
}

Result<SurveyedFile> find_file(House const& house, std::string const& name) {
    PFAR_TRY(trust, config::TrustList::read(house.places.home));
    auto files = config::survey(house.places, trust);
    for (auto const role : {SurveyedFile::Role::used, SurveyedFile::Role::waits})
        for (auto& file : files)
            if (file.found.name == name && file.role == role) return std::move(file);
    std::vector<std::string_view> names;
    for (auto const& file : files) names.emplace_back(file.found.name);
    auto const meant = base::nearest(name, names);
    return fail(Errc::not_found,
                fmt::format("there is no server \"{}\"{}; pfar add makes one", base::printable(name),
                            meant ? fmt::format(" (did you mean \"{}\"?)", base::printable(*meant)) : ""));
}

} // namespace pfar::house
