// ~/.pfar is never a project, even when PFAR_HOME names another directory.
#include "config/places.hpp"

#include <algorithm>

namespace pfar::config {
namespace {

namespace fs = std::filesystem;

bool is_there(fs::path const& path) {
    std::error_code error;
    return fs::is_directory(path, error);
}

bool same(fs::path const& a, fs::path const& b) {
    std::error_code error;
    return fs::equivalent(a, b, error);
}

/// Editors leave .#x.toml and x.toml~ about; those are nobody's servers.
bool is_server_file(fs::path const& path) {
    return path.extension() == ".toml" && !path.filename().native().starts_with('.');
}

void collect(fs::path const& directory, Origin origin, fs::path const& base, std::vector<FoundFile>& out) {
    std::error_code error;
    std::vector<FoundFile> found;
    for (auto entry = fs::directory_iterator(directory, error); entry != fs::directory_iterator();
         entry.increment(error)) {
        if (error) break;
        if (is_server_file(entry->path()))
            found.push_back({entry->path().stem().native(), origin, entry->path(), base});
    }
    std::sort(found.begin(), found.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
    std::move(found.begin(), found.end(), std::back_inserter(out));
}

} // namespace

std::optional<fs::path> project_root(Places const& places) {
    std::error_code error;
    auto directory = fs::canonical(places.directory, error);
    if (error) return {};
    for (;; directory = directory.parent_path()) {
        auto const candidate = directory / ".pfar";
        if (is_there(candidate / "mcp") && !same(candidate, places.home) &&
            !same(candidate, places.user_home / ".pfar"))
            return directory;
        if (directory == directory.root_path()) return {};
    }
}

std::vector<FoundFile> find_server_files(Places const& places) {
    std::vector<FoundFile> files;
    if (auto const root = project_root(places)) collect(*root / ".pfar/mcp", Origin::project, *root, files);
    collect(places.home / "mcp", Origin::user, places.home, files);
    collect(places.system / "mcp", Origin::system, places.system, files);
    return files;
}

FoundFile locate(fs::path const& file, Places const& places) {
    std::error_code error;
    auto const absolute = fs::absolute(file, error).lexically_normal();
    auto const directory = absolute.parent_path();
    auto const stem = absolute.stem().native();
    if (same(directory, places.system / "mcp")) return {stem, Origin::system, absolute, places.system};
    bool const in_project = directory.filename() == "mcp" && directory.parent_path().filename() == ".pfar" &&
                            !same(directory, places.home / "mcp");
    if (in_project) return {stem, Origin::project, absolute, directory.parent_path().parent_path()};
    return {stem, Origin::user, absolute, places.home};
}

FileContext context_of(FoundFile const& found, Places const& places) {
    return {found.file, found.base, places.home, places.user_home, true, places.backends};
}

} // namespace pfar::config
