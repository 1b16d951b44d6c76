// One component at a time, with the kernel's own bounds.
#include "servers/follow.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <climits>
#include <deque>

namespace pfar::servers {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_links = 40; // as the kernel's

Error nothing_at(fs::path const& path) {
    return fail(Errc::not_found, base::printable(path.native()) + " is not there or cannot be looked at");
}

void put_first(std::deque<fs::path>& ahead, fs::path const& path) {
    auto const relative = path.relative_path();
    ahead.insert(ahead.begin(), relative.begin(), relative.end());
}

} // namespace

Result<Followed> follow(fs::path const& path) {
    if (!path.is_absolute() || path.native().size() >= PATH_MAX || path.native().find('\0') != std::string::npos)
        return fail(Errc::invalid, base::printable(path.native().substr(0, 80)) + " is not an absolute path");
    Followed out{"/", {}};
    std::deque<fs::path> ahead;
    put_first(ahead, path);
    while (!ahead.empty()) {
        auto const name = ahead.front();
        ahead.pop_front();
        std::error_code error;
        if (!fs::is_directory(out.end, error)) return nothing_at(path);
        if (name.empty() || name == ".") continue;
        if (name == "..") {
            out.end = out.end.parent_path();
            continue;
        }
        auto const next = out.end / name;
        auto const status = fs::symlink_status(next, error);
        if (error || !fs::exists(status)) return nothing_at(path);
        if (!fs::is_symlink(status)) {
            out.end = next;
            continue;
        }
        auto const target = fs::read_symlink(next, error);
        if (error) return nothing_at(path);
        if (out.links.size() == most_links)
            return fail(Errc::invalid, base::printable(path.native()) + " is a link that leads in a circle");
        out.links.push_back({next, target.native()});
        if (target.is_absolute()) out.end = "/";
        put_first(ahead, target);
    }
    return out;
}

Result<fs::path> in_canonical_directory(fs::path const& path) {
    auto const name = path.filename();
    if (name.empty() || name == "." || name == "..") {
        PFAR_TRY(followed, follow(path));
        return followed.end;
    }
    PFAR_TRY(directory, follow(path.parent_path()));
    return directory.end / name;
}

} // namespace pfar::servers
