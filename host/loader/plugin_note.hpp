// Reads who a plugin says it is from the file itself, without loading it: loading would run its constructors.
#pragma once

#include <pfar/result.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace pfar::loader {

struct PluginIdentity {
    std::uint32_t api_version = 0;
    std::string abi, kind, name, version;
};

/// From the bytes of a shared object. Errc::invalid, beginning with a verb ("is not a shared library"), for anything else,
/// whatever it is. Pure; never reads beyond `file`. [any thread]
Result<PluginIdentity> read_plugin_note(std::span<std::byte const> file);

/// The same for a file on disk. [any thread, may block]
Result<PluginIdentity> read_plugin_note(std::filesystem::path const& path);

} // namespace pfar::loader
