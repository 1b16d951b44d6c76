// House: the rooms of this process, built bottom-up: where things are, settings, plugins. Destroyed top-down.
#pragma once

#include "base/paths.hpp"
#include "config/host_settings.hpp"
#include "config/places.hpp"
#include "loader/plugin_set.hpp"

#include <pfar/sandbox_backend.hpp>

#include <filesystem>
#include <vector>

namespace pfar::house {

struct House {
    base::Layout layout;
    config::Places places;
    std::filesystem::path settings_file; // $PFAR_HOME/pfar.toml, whether it is there or not
    config::Source settings_text;        // for messages that quote it
    config::HostSettings settings;
    std::vector<config::Mistake> settings_mistakes;
    loader::PluginSet plugins;
};

/// Makes $PFAR_HOME if it is missing, reads pfar.toml, loads and configures all plugins. Mistakes in pfar.toml and refused
/// plugins do not stop it: they are in the House for the command to judge. `only_kind`: load no plugins but of this kind, for a command
/// that needs no other; `backend`: and of the sandbox backends only the one that this (or pfar.toml, or auto) means first.
/// [main thread, may block]
Result<House> open_house(std::string_view only_kind = {}, std::string const& backend = "");

/// pfar.toml as it is now. What plugins were told stays as it was. Errc::invalid if it has mistakes: then nothing changes. [main thread, may block]
Result<void> reload_settings(House& house);

/// A set of their own for a room that needs plugins of one kind only. [main thread, may block]
loader::PluginSet load_kind(House const& house, std::string_view kind, std::string const& only = "");

/// Runs a plan in the foreground for a few seconds at most: what a backend's probe is given.
Launch trial_launch();

} // namespace pfar::house
