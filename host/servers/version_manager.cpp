// Asked in a clean environment: HOME, PATH and the manager's own root.
#include "servers/version_manager.hpp"

#include "base/text.hpp"
#include "spawn/run_to_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace pfar::servers {
namespace {

namespace fs = std::filesystem;

struct Known {
    std::string_view name, ends_with, root_variable;
};

constexpr std::array known{Known{"pyenv", "/.pyenv/shims", "PYENV_ROOT"},
                           Known{"asdf", "/.asdf/shims", "ASDF_DATA_DIR"}, Known{"volta", "/.volta/bin", "VOLTA_HOME"},
                           Known{"mise", "/.local/share/mise/shims", "MISE_DATA_DIR"}};

/// A root that the owner has moved.
bool is_moved_root(Known const& manager, fs::path const& directory) {
    char const* const root = std::getenv(std::string(manager.root_variable).c_str());
    if (root == nullptr || *root != '/') return false;
    auto const last = manager.ends_with.substr(manager.ends_with.rfind('/') + 1);
    return directory == (fs::path(root) / last).lexically_normal();
}

std::string last_line(std::string_view text, bool path_only) {
    while (!text.empty()) {
        auto const end = text.find_last_not_of("\r\n");
        if (end == std::string_view::npos) break;
        text = text.substr(0, end + 1);
        auto const line = text.substr(text.find_last_of('\n') + 1); // npos + 1 is 0
        if (!path_only || line.starts_with('/')) return std::string(line);
        text.remove_suffix(line.size());
    }
    return {};
}

} // namespace

std::optional<VersionManager> manager_of(fs::path const& program) {
    auto const directory = program.parent_path().lexically_normal();
    for (auto const& manager : known) {
        if (program.filename() == manager.name) continue; // ~/.volta/bin/volta is volta
        if (directory.native().ends_with(manager.ends_with) || is_moved_root(manager, directory))
            return VersionManager{std::string(manager.name), directory.parent_path()};
    }
    return std::nullopt;
}

Result<fs::path> ask_manager(VersionManager const& manager, std::string const& program, std::string const& search_path,
                             fs::path const& user_home) {
    auto const variable =
        std::find_if(known.begin(), known.end(), [&](auto const& k) { return k.name == manager.name; });
    LaunchPlan plan;
    plan.argv = {"/usr/bin/env",
                 "HOME=" + user_home.native(),
                 fmt::format("PATH={}/bin:{}:{}/.local/bin:/usr/local/bin:/usr/bin:/bin", manager.root.native(),
                             search_path, user_home.native()),
                 fmt::format("{}={}", variable->root_variable, manager.root.native()),
                 manager.name,
                 "which",
                 program};
    auto const ended = spawn::run_to_end(plan, std::chrono::seconds(10));
    auto const answer = ended && ended->status == 0 ? last_line(ended->output, true) : "";
    if (!answer.empty()) return fs::path(answer).lexically_normal();
    auto const words = ended ? last_line(ended->output, false) : ended.error().what;
    return fail(
        Errc::unavailable,
        fmt::format("{} is a stand-in of {}, and \"{} which {}\" did not say for what{}{}; choose a version with "
                    "{}, or write the program's absolute path",
                    program, manager.name, manager.name, program, words.empty() ? "" : ": ", base::printable(words),
                    manager.name));
}

} // namespace pfar::servers
