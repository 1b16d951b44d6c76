// All grants are resolved before any is judged, because what is writable is known only then.
#include "servers/grants.hpp"

#include "base/paths.hpp"
#include "base/text.hpp"
#include "servers/follow.hpp"
#include "servers/root_files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::servers {
namespace {

struct Resolved {
    WishedGrant const* wished;
    Followed way;
};

Result<Followed> resolve(WishedGrant const& wished) {
    auto way = follow(wished.path);
    if (way) return way;
    auto const path = base::printable(wished.path.native());
    if (way.error().code == Errc::not_found)
        return fail(Errc::not_found,
                    fmt::format("{} ({}) is not there; make it, or remove the grant", path, wished.why));
    return fail(way.error().code, fmt::format("{} ({}): {}", path, wished.why, way.error().what));
}

Result<void> judge(Resolved const& one, std::vector<Resolved> const& all, OwnerFacts const& owner) {
    auto const path = base::printable(one.wished->path.native());
    if (one.way.end == "/")
        return fail(Errc::refused,
                    fmt::format("{} ({}) would show the whole machine; grant the directories that are needed", path,
                                one.wished->why));
    if (base::lies_in(one.way.end, owner.pfar_home))
        return fail(
            Errc::refused,
            fmt::format("{} ({}) lies in pfar's own directory, which nothing in a sandbox may see; what a server keeps "
                        "for itself goes to its HOME, which needs no grant",
                        path, one.wished->why));
    if (owner.identity.kernel_uid && one.wished->rights.writes() && is_system(one.way.end))
        return fail(Errc::refused,
                    fmt::format("{} ({}) belongs to the system, which a sandbox of root's cannot write; grant a "
                                "directory outside of /usr and the like",
                                path, one.wished->why));
    bool const could_move = one.wished->rights.writes() && base::lies_in(owner.pfar_home, one.way.end) &&
                            owner.pfar_home.parent_path() != one.way.end;
    if (could_move)
        return fail(Errc::refused,
                    fmt::format("{} ({}) holds pfar's own directory further down, where it could be moved out of "
                                "hiding; grant the directories beside it",
                                path, one.wished->why));
    for (char const* const system : {"/proc", "/dev", "/sys", "/run"})
        if (base::lies_in(one.way.end, system))
            return fail(Errc::refused, fmt::format("{} ({}) lies in {}, which a sandbox never shows of the machine",
                                                   path, one.wished->why, system));
    for (auto const& link : one.way.links)
        for (auto const& other : all)
            if (other.wished->rights.writes() && base::lies_in(link.inside, other.way.end))
                return fail(
                    Errc::refused,
                    fmt::format(
                        "{} ({}) leads through the link {}, which the sandbox itself could turn elsewhere; grant {} "
                        "by its real path",
                        path, one.wished->why, base::printable(link.inside.native()),
                        base::printable(one.way.end.native())));
    return {};
}

/// Two names of one path are one grant, with the rights of both.
void add(ResolvedGrants& out, Resolved const& one) {
    auto const same = std::find_if(out.grants.begin(), out.grants.end(),
                                   [&](auto const& grant) { return grant.host == one.way.end; });
    auto const& rights = one.wished->rights;
    if (same == out.grants.end()) {
        out.grants.push_back({one.way.end, one.way.end, rights, one.wished->why});
    } else {
        auto& has = same->rights;
        has = {has.read || rights.read, has.create || rights.create, has.update || rights.update,
               has.remove || rights.remove, has.execute || rights.execute};
    }
    for (auto const& link : one.way.links) out.links.push_back(link);
}

/// A hidden directory matters only below a grant, and only if nobody granted it or something in it on purpose.
void mask(ResolvedGrants& out, std::filesystem::path const& path) {
    bool const shown = std::any_of(out.grants.begin(), out.grants.end(),
                                   [&](auto const& grant) { return base::lies_in(path, grant.host); });
    std::error_code error;
    if (shown && std::filesystem::is_directory(path, error)) out.masked.push_back(path);
}

} // namespace

Result<ResolvedGrants> resolve_grants(Wish const& wish, OwnerFacts const& owner) {
    std::vector<Resolved> all;
    for (auto const& wished : wish.grants) {
        PFAR_TRY(way, resolve(wished));
        all.push_back({&wished, std::move(way)});
    }
    ResolvedGrants out;
    for (auto const& one : all) {
        PFAR_CHECK(judge(one, all, owner));
        add(out, one);
    }
    mask(out, owner.pfar_home);
    for (auto const& hidden : wish.hidden) mask(out, hidden);
    // A link below a grant is there already, with whatever it shows.
    std::erase_if(out.links, [&](auto const& link) {
        return std::any_of(out.grants.begin(), out.grants.end(),
                           [&](auto const& grant) { return base::lies_in(link.inside, grant.inside); });
    });
    return out;
}

} // namespace pfar::servers
