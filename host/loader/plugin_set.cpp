// Files are taken in order of precedence (pfar.toml's paths, the owner's directory, the shipped ones), so the first of a kind and name wins.
#include "loader/plugin_set.hpp"

#include "base/log.hpp"
#include "base/ownership.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::loader {
namespace {

namespace fs = std::filesystem;

/// The plugin files of one directory by name; a directory that is not there has none.
Result<std::vector<fs::path>> files_in(fs::path const& directory) {
    auto const real = base::only_ours(directory, base::Strictness::strict);
    std::vector<fs::path> files;
    if (!real)
        return real.error().code == Errc::not_found ? Result<std::vector<fs::path>>(std::move(files)) : real.error();
    std::error_code error;
    for (auto entry = fs::directory_iterator(*real, error); !error && entry != fs::directory_iterator();
         entry.increment(error))
        if (entry->path().extension() == ".so") files.push_back(entry->path());
    if (error) return fail(Errc::io, fmt::format("{} could not be listed: {}", directory.native(), error.message()));
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

PluginSet PluginSet::load(PluginSources const& sources) {
    PluginSet set;
    auto const add_directory = [&](fs::path const& directory) {
        auto files = files_in(directory);
        if (!files)
            return set.refused_.push_back({directory, "", "", "no plugin is taken from there: " + files.error().what});
        for (auto const& file : *files) set.add(file, sources);
    };
    std::error_code error;
    for (auto const& path : sources.settings->plugin_paths)
        fs::is_directory(path, error) ? add_directory(path) : set.add(path, sources);
    add_directory(sources.home / "plugins");
    add_directory(sources.shipped);
    std::stable_sort(set.plugins_.begin(), set.plugins_.end(), [](auto const& a, auto const& b) {
        return std::tie(a.identity.kind, a.identity.name) < std::tie(b.identity.kind, b.identity.name);
    });
    return set;
}

void PluginSet::add(fs::path const& given, PluginSources const& sources) {
    auto const path = base::only_ours(given, base::Strictness::strict);
    if (!path) return refused_.push_back({given, "", "", path.error().what});
    // Which of two plugins is meant is settled by their notes, before anything of the second runs.
    auto const note = read_plugin_note(*path);
    auto const kind = note ? note->kind : "", name = note ? note->name : "";
    if (note && !sources.only_kind.empty() && kind != sources.only_kind && is_known_kind(kind)) return;
    if (note && !sources.only_name.empty() && name != sources.only_name) return;
    if (auto const* const other = find(kind, name); other != nullptr) {
        if (other->path == *path) return; // the same file, named twice
        return refused_.push_back({*path, kind, name,
                                   fmt::format("{} is a second {} plugin named \"{}\"; {} is used", path->native(),
                                               kind, name, other->path.native())});
    }
    auto loaded = load_plugin(*path);
    if (!loaded) return refused_.push_back({*path, kind, name, loaded.error().what});
    if (configure(*loaded, sources)) plugins_.push_back(std::move(*loaded));
}

bool PluginSet::configure(LoadedPlugin const& plugin, PluginSources const& sources) {
    auto const& name = plugin.identity.name;
    auto const table = sources.settings->plugins.find(name);
    PluginContext const context{
        sources.home, sources.share, sources.shim,
        table == sources.settings->plugins.end() ? Settings{} : table->second.settings,
        [name](LogLevel level, std::string_view line) { base::log_plugin_line(name, level, line); }};
    auto const done = guarded_call(name, "configure", [&] { return plugin.object->configure(context); });
    if (done) return true;
    refused_.push_back({plugin.path, plugin.identity.kind, name,
                        fmt::format("{} ({} \"{}\") refused its settings: {}", plugin.path.native(),
                                    plugin.identity.kind, name, base::printable(done.error().what))});
    return false;
}

std::vector<std::string_view> PluginSet::names(std::string_view kind) const {
    std::vector<std::string_view> names;
    for (auto const& plugin : plugins_)
        if (plugin.identity.kind == kind) names.emplace_back(plugin.identity.name);
    return names;
}

LoadedPlugin const* PluginSet::find(std::string_view kind, std::string_view name) const {
    auto const found = std::find_if(plugins_.begin(), plugins_.end(),
                                    [&](auto const& p) { return p.identity.kind == kind && p.identity.name == name; });
    return found == plugins_.end() ? nullptr : &*found;
}

Error PluginSet::no_such(std::string_view kind, std::string_view name) const {
    auto const known = names(kind);
    auto const meant = base::nearest(name, known);
    return fail(Errc::not_found, fmt::format("there is no {} plugin \"{}\"{}; there is {}", kind, base::printable(name),
                                             meant ? fmt::format(" (did you mean \"{}\"?)", *meant) : "",
                                             known.empty() ? "none" : base::listed(known)));
}

} // namespace pfar::loader
