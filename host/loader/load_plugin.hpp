// Loads one plugin file, or says in a sentence why not.
#pragma once

#include "loader/plugin_note.hpp"

#include <pfar/plugin.hpp>

#include <filesystem>
#include <memory>

namespace pfar::loader {

/// A plugin in use. The object goes before the library that its code is in.
struct LoadedPlugin {
    PluginIdentity identity;
    std::filesystem::path path; // canonical
    std::shared_ptr<void> library;
    std::unique_ptr<Plugin, void (*)(Plugin*) noexcept> object;
};

/// Only from a file that nobody but the owner and root can exchange. Nothing of the file has run unless its note fits.
/// Errors name the file. [main thread, may block]
Result<LoadedPlugin> load_plugin(std::filesystem::path const& given);

/// The kinds that this host has an interface for.
bool is_known_kind(std::string_view kind);

} // namespace pfar::loader
