// The order is the dependency order; nothing here decides anything.
#include "house/house.hpp"

#include "base/files.hpp"
#include "base/log.hpp"
#include "base/ownership.hpp"
#include "config/survey.hpp"
#include "loader/select.hpp"
#include "spawn/run_to_end.hpp"

#include <spdlog/spdlog.h>

namespace pfar::house {
namespace {

Result<config::Places> find_places() {
    PFAR_TRY(home, base::home());
    PFAR_CHECK(base::prepare_home(home));
    PFAR_TRY(user_home, base::user_home());
    std::error_code error;
    auto const directory = std::filesystem::current_path(error);
    config::Places places;
    places.home = home;
    places.user_home = user_home;
    places.directory = error ? home : directory; // a directory that was removed below us has no project
    return places;
}

/// An absent file is an empty one.
Result<std::string> read_settings_text(std::filesystem::path const& file) {
    auto const ours = base::only_ours(file, base::Strictness::private_group);
    if (!ours && ours.error().code == Errc::not_found) return std::string();
    if (!ours) return ours.error();
    return base::read_file(*ours, config::most_config_bytes);
}

/// Empty if no backend in particular was asked for.
std::string first_meant(std::string const& backend, config::HostSettings const& settings) {
    if (backend.empty()) return "";
    auto const& wanted = backend == "auto" ? settings.sandbox_backend : backend;
    return wanted == "auto" ? loader::first_backend : wanted;
}

} // namespace

Result<House> open_house(std::string_view only_kind, std::string const& backend) {
    PFAR_TRY(layout, base::layout());
    PFAR_TRY(places, find_places());
    base::log_to_file(places.home / "log");
    auto const file = places.home / "pfar.toml";
    auto content = read_settings_text(file);
    config::Source text(content ? *content : "");
    auto read = config::read_host_settings(text, {file, places.home, places.home, places.user_home, false, {}});
    if (!content) read.mistakes.push_back({config::Severity::error, {}, content.error().what, "", "", ""});
    auto plugins = loader::PluginSet::load({layout.plugins, places.home, layout.share, layout.shim, &read.settings,
                                            only_kind, first_meant(backend, read.settings)});
    for (auto const& refusal : plugins.refused()) spdlog::warn("plugin refused: {}", refusal.why);
    for (auto const name : plugins.names(SandboxBackend::kind)) places.backends.emplace_back(name);
    return House{layout,
                 std::move(places),
                 file,
                 std::move(text),
                 std::move(read.settings),
                 std::move(read.mistakes),
                 std::move(plugins)};
}

Result<void> reload_settings(House& house) {
    PFAR_TRY(content, read_settings_text(house.settings_file));
    config::Source text(content);
    auto const& places = house.places;
    auto read =
        config::read_host_settings(text, {house.settings_file, places.home, places.home, places.user_home, false, {}});
    if (count(read.mistakes, config::Severity::error) > 0)
        return fail(Errc::invalid,
                    fmt::format("{} has mistakes, so the settings stay as they were; pfar check tells which",
                                house.settings_file.native()));
    house.settings = std::move(read.settings);
    return {};
}

loader::PluginSet load_kind(House const& house, std::string_view kind, std::string const& only) {
    return loader::PluginSet::load(
        {house.layout.plugins, house.places.home, house.layout.share, house.layout.shim, &house.settings, kind, only});
}

Launch trial_launch() {
    return [](LaunchPlan const& plan) { return spawn::run_to_end(plan, std::chrono::seconds(5)); };
}

} // namespace pfar::house
