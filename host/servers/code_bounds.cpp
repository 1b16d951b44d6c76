// Two lists, because a single file that the owner named is a smaller thing than everything around it.
#include "servers/code_bounds.hpp"

#include "base/paths.hpp"
#include "servers/root_files.hpp"

#include <algorithm>
#include <array>

namespace pfar::servers {
namespace {

namespace fs = std::filesystem;

constexpr std::array kernel_places{"/proc", "/sys", "/dev"};
constexpr std::array common_places{"/",    "/boot", "/etc", "/home", "/media",   "/mnt",      "/opt",
                                   "/run", "/srv",  "/tmp", "/var",  "/var/lib", "/var/home", "/var/tmp"};
constexpr std::array places_in_home{".aws",   ".cache",     ".config",    ".docker",      ".gnupg",       ".kube",
                                    ".local", ".local/bin", ".local/lib", ".local/share", ".local/state", ".mozilla",
                                    ".ssh",   "Desktop",    "Documents",  "Downloads"};
constexpr std::array key_places{".aws", ".gnupg", ".kube", ".ssh"};

/// Canonical as far as it exists; empty stays empty.
fs::path settled(fs::path const& path) {
    std::error_code error;
    auto const out = fs::weakly_canonical(path, error);
    auto const normal = error ? path.lexically_normal() : out;
    return normal.has_filename() || normal == "/" ? normal : normal.parent_path();
}

bool in_any(fs::path const& path, auto const& directories) {
    return std::any_of(directories.begin(), directories.end(),
                       [&](auto const* directory) { return base::lies_in(path, directory); });
}

/// Somebody's home directory, by where such directories are.
bool is_a_home(fs::path const& path) {
    return path == "/root" || path.parent_path() == "/home" || path.parent_path() == "/var/home";
}

} // namespace

CodeBounds::CodeBounds(fs::path const& user_home, fs::path const& pfar_home, std::vector<fs::path> writable)
    : user_home_(settled(user_home)), pfar_home_(settled(pfar_home)), writable_(std::move(writable)),
      never_(common_places.begin(), common_places.end()) {
    for (auto const* const name : places_in_home)
        if (!user_home_.empty()) never_.push_back(settled(user_home_ / name));
}

std::optional<fs::path> CodeBounds::installed(fs::path const& path) const {
    auto const all = pfar_home_ / "mcp-servers";
    if (pfar_home_.empty() || path == all || !base::lies_in(path, all)) return std::nullopt;
    return all / *path.lexically_relative(all).begin();
}

std::optional<fs::path> CodeBounds::foreign_tree(fs::path const& path) const {
    for (auto const& tree : writable_)
        if (base::lies_in(path, tree)) return tree;
    return installed(path);
}

bool CodeBounds::may_show_file(fs::path const& path) const {
    if (in_any(path, kernel_places)) return false;
    return pfar_home_.empty() || !base::lies_in(path, pfar_home_) || installed(path);
}

bool CodeBounds::may_show_tree(fs::path const& path) const {
    if (!may_show_file(path) || is_a_home(path)) return false;
    if (std::find(never_.begin(), never_.end(), path) != never_.end()) return false;
    return !base::lies_in(user_home_, path) && !base::lies_in(pfar_home_, path);
}

bool CodeBounds::is_elsewhere(fs::path const& path) const {
    return in_any(path, kernel_places) || (!pfar_home_.empty() && base::lies_in(path, pfar_home_ / "state"));
}

bool CodeBounds::holds_keys(fs::path const& path) const {
    return !user_home_.empty() && std::any_of(key_places.begin(), key_places.end(), [&](auto const* name) {
        return base::lies_in(path, settled(user_home_ / name));
    });
}

bool CodeBounds::leaves_installed(fs::path const& from, fs::path const& to) const {
    auto const home = foreign_tree(from);
    return home && from != *home && !base::lies_in(to, *home) && !is_system(to);
}

} // namespace pfar::servers
