// The file first: without it nothing is started any more, whatever becomes of the rest.
#include "house/remove_server.hpp"

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "house/credentials.hpp"
#include "house/home_lock.hpp"
#include "servers/server_wish.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <set>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
using config::SurveyedFile;

void add_entries(SurveyedFile const& file, std::set<std::string>& to) {
    if (!file.spec) return;
    for (auto& entry : entries_of(file.spec->auth, file.spec->auth_files)) to.insert(std::move(entry));
}

/// What any other file names, those of other projects that are trusted included.
std::set<std::string> named_elsewhere(House const& house, SurveyedFile const& file, config::TrustList const& trust) {
    std::set<std::string> out;
    for (auto const& other : config::survey(house.places, trust))
        if (other.found.file != file.found.file) add_entries(other, out);
    for (auto const& [path, digest] : trust.entries())
        if (path != file.found.file.native())
            add_entries(config::survey_file(config::locate(path, house.places), house.places, trust), out);
    if (auto const& entry = house.settings.egress_upstream_auth; !entry.empty()) out.insert(entry);
    return out;
}

/// Its directories are called by its slug, which a user's and a system's file of one name share; packages go by the name alone.
void find_leavings(House const& house, std::vector<SurveyedFile> const& files, config::TrustList const& trust,
                   Removal& removal) {
    auto const& mine = removal.file;
    auto const slug = servers::slug_of(mine), file_name = mine.found.file.filename().native();
    bool slug_is_ours = true, name_is_ours = true;
    for (auto const& other : files) {
        if (other.found.file == mine.found.file) continue;
        slug_is_ours = slug_is_ours && servers::slug_of(other) != slug;
        name_is_ours = name_is_ours && other.found.name != mine.found.name;
    }
    for (auto const& [path, digest] : trust.entries())
        name_is_ours = name_is_ours && (path == mine.found.file.native() || fs::path(path).filename() != file_name);
    std::vector<fs::path> candidates{mine.found.file.native() + ".bak"};
    std::error_code error;
    for (int number = 2;; ++number) { // of conversations
        candidates.push_back(fmt::format("{}.bak-{}", mine.found.file.native(), number));
        if (!fs::exists(candidates.back(), error)) break;
    }
    auto const& home = house.places.home;
    if (slug_is_ours && config::parse_server_name(mine.found.name))
        candidates.insert(candidates.end(),
                          {home / "state" / slug, home / "cache" / (slug + ".json"),
                           home / "cache" / (slug + ".pins.json"), home / "log/servers" / (slug + ".log")});
    if (name_is_ours && config::parse_server_name(mine.found.name))
        candidates.push_back(home / "mcp-servers" / mine.found.name);
    if (slug_is_ours) removal.pins = home / "cache" / (slug + ".pins.json");
    for (auto const& path : candidates)
        if (fs::exists(fs::symlink_status(path, error))) removal.leavings.push_back(path);
}

Result<void> check_removable(SurveyedFile const& file, House const& house) {
    auto const directory = file.found.file.parent_path();
    if (::access(directory.c_str(), W_OK) == 0) return {};
    bool const is_system = file.found.origin == config::Origin::system;
    return fail(Errc::refused,
                fmt::format("{} may not be removed ({}); {}", base::printable(file.found.file.native()),
                            base::errno_text(errno),
                            is_system ? fmt::format("run this as root, or put another {} before it in {}",
                                                    file.found.file.filename().native(),
                                                    base::printable((house.places.home / "mcp").native()))
                                      : "make its directory writable: chmod u+w it"));
}

Result<void> unlink_file(fs::path const& file) {
    if (::unlink(file.c_str()) != 0)
        return fail(
            errno == EACCES || errno == EPERM || errno == EROFS ? Errc::refused : Errc::io,
            fmt::format("{} could not be removed: {}", base::printable(file.native()), base::errno_text(errno)));
    base::Fd const directory{::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (directory) ::fsync(directory.number());
    return {};
}

Result<void> forget_trust(House const& house, SurveyedFile const& file) {
    if (file.found.origin != config::Origin::project) return {};
    PFAR_TRY(list, config::TrustList::read(house.places.home));
    return list.forget(file.found.file) ? list.write(house.places.home) : Result<void>();
}

} // namespace

Result<Removal> plan_removal(House const& house, std::string const& server) {
    PFAR_TRY(file, find_file(house, server));
    PFAR_TRY(trust, config::TrustList::read(house.places.home));
    Removal out{std::move(file), {}, {}, {}, {}};
    PFAR_CHECK(check_removable(out.file, house));
    std::error_code error;
    if (fs::is_symlink(out.file.found.file, error) && out.file.identity != out.file.found.file)
        out.behind = out.file.identity;
    auto const files = config::survey(house.places, trust);
    for (auto const& other : files) {
        bool const takes_over = other.found.name == server && other.found.file != out.file.found.file &&
                                other.standing == config::Standing::trusted;
        if (takes_over && !out.successor) out.successor = other.found.file;
    }
    find_leavings(house, files, trust, out);
    std::set<std::string> mine;
    add_entries(out.file, mine);
    auto const others = named_elsewhere(house, out.file, trust);
    for (auto const& entry : mine)
        if (!others.contains(entry)) out.entries.push_back(entry);
    return out;
}

Result<Removed> remove_server(House const& house, Removal const& removal, bool purge, Vault* vault) {
    PFAR_TRY(held, lock_home(house.places.home));
    if (!removal.file.digest.empty()) PFAR_CHECK(read_same(removal.file));
    PFAR_CHECK(unlink_file(removal.file.found.file));
    PFAR_CHECK(forget_trust(house, removal.file));
    ::unlink(removal.pins.c_str()); // what was agreed to went with it
    Removed out;
    if (!purge) return out;
    for (auto const& path : removal.leavings) {
        if (auto const error = base::remove_tree(path)) out.left.emplace_back(path, error.message());
    }
    if (vault == nullptr) return out;
    for (auto const& entry : removal.entries) {
        auto const gone = vault->remove(entry);
        if (gone)
            out.entries.push_back(entry);
        else if (gone.error().code != Errc::not_found)
            out.left.emplace_back("vault:" + entry, gone.error().what);
    }
    return out;
}

} // namespace pfar::house
