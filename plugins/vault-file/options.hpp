// What [plugins.vault-file] says.
#pragma once

#include "header.hpp"

#include <pfar/plugin.hpp>

#include <chrono>
#include <filesystem>

namespace pfar::vault_file {

struct Options {
    std::filesystem::path root, key_file;
    KeyKind key_from = KeyKind::file; // what the next key will be; the vault's header says what the present one is
    std::string key_command;          // empty: none
    std::chrono::minutes unlock_time{480};
};

/// Errc::invalid, naming the setting. Touches nothing.
Result<Options> options_from(PluginContext const& context);

/// "key file", for sentences.
char const* name_of(KeyKind kind);

} // namespace pfar::vault_file
