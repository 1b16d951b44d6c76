// Looks upwards by names alone, and downwards one level (two for @scope).
#include "servers/package.hpp"

#include <algorithm>
#include <array>

namespace pfar::servers {
namespace {

namespace fs = std::filesystem;

constexpr std::array marks{"package.json", "pyproject.toml", "pyvenv.cfg"};
constexpr std::size_t most_links = 1000;
constexpr int most_looked_at = 20000;

bool is_package(fs::path const& directory) {
    return std::any_of(marks.begin(), marks.end(), [&](auto const* mark) { return is_file(directory / mark); });
}

struct Search {
    std::vector<fs::path> found;
    int left = most_looked_at;
};

void find_links(fs::path const& directory, bool scopes, Search& search) {
    std::error_code error;
    for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
        if (--search.left < 0 || search.found.size() == most_links) return;
        std::error_code ignored;
        auto const name = entry->path().filename().native();
        if (entry->is_symlink(ignored))
            search.found.push_back(entry->path());
        else if (scopes && name.starts_with('@'))
            find_links(entry->path(), false, search);
    }
}

} // namespace

std::optional<fs::path> package_root(fs::path const& file) {
    for (auto directory = file.parent_path(); directory != directory.root_path(); directory = directory.parent_path()) {
        if (directory.filename() == "node_modules") return std::nullopt;
        if (is_package(directory)) return directory;
    }
    return std::nullopt;
}

std::optional<fs::path> outermost_modules(fs::path const& file) {
    fs::path path;
    for (auto const& part : file.parent_path()) {
        path /= part;
        if (part == "node_modules") return path;
    }
    return std::nullopt;
}

std::vector<fs::path> shared_modules(fs::path const& package) {
    std::vector<fs::path> found;
    std::error_code error;
    for (auto directory = package.parent_path(); directory != directory.root_path();
         directory = directory.parent_path())
        if (is_file(directory / "package.json") && fs::is_directory(directory / "node_modules", error))
            found.push_back(directory / "node_modules");
    return found;
}

std::vector<fs::path> linked_packages(fs::path const& modules) {
    Search search;
    find_links(modules, true, search);
    std::sort(search.found.begin(), search.found.end());
    return search.found;
}

} // namespace pfar::servers
