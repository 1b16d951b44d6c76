// The file is written before the list of trusted digests: if that fails, it waits for trust, and nothing runs that nobody agreed to.
#include "house/allow.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "config/edit.hpp"
#include "house/find_server.hpp"
#include "house/home_lock.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace pfar::house {
namespace {

using config::SurveyedFile;

bool is_allowed(SurveyedFile const& file, config::DomainRule const& rule) {
    auto const& rules = file.spec->allowed_domains;
    return std::any_of(rules.begin(), rules.end(), [&](auto const& wide) { return covers(wide, rule); });
}

/// What is changed is what was found to be usable.
Result<std::string> read_same(SurveyedFile const& file) {
    PFAR_TRY(text, base::read_file(file.identity, config::most_config_bytes));
    if (base::sha256(text) == file.digest) return text;
    return fail(Errc::conflict, fmt::format("{} is being changed by somebody else; try again",
                                            base::printable(file.found.file.native())));
}

std::string remedy(SurveyedFile const& file, House const& house) {
    if (file.found.origin != config::Origin::system) return "make it writable: chmod u+w it and its directory";
    return fmt::format("run this as root, or copy the file to {} and allow it there",
                       base::printable((house.places.home / "mcp").native()));
}

Result<void> check_writable(SurveyedFile const& file, House const& house) {
    for (auto const& path : {file.identity, file.identity.parent_path()})
        if (::access(path.c_str(), W_OK) != 0)
            return fail(Errc::refused, fmt::format("{} may not be written ({}); {}", base::printable(path.native()),
                                                   base::errno_text(errno), remedy(file, house)));
    return {};
}

/// In place of the real file, so that a link stays one, with the mode it had and, for root, the owner too.
Result<void> replace(std::filesystem::path const& file, std::string const& text) {
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

} // namespace

Result<Allowed> allow_domain(House const& house, std::string const& server, config::DomainRule const& rule) {
    PFAR_TRY(held, lock_home(house.places.home));
    PFAR_TRY(file, find_server(house, server));
    if (is_allowed(file, rule)) return Allowed{file.found.file, false};
    PFAR_TRY(text, read_same(file));
    PFAR_TRY(changed, config::add_domain(text, rule, config::context_of(file.found, house.places)));
    PFAR_CHECK(check_writable(file, house));
    PFAR_CHECK(replace(file.identity, changed));
    PFAR_CHECK(keep_trusted(house, file, changed));
    return Allowed{file.found.file, true};
}

} // namespace pfar::house
