// HostSettings: pfar.toml, checked. Every key has a default, so the file is optional.
#pragma once

#include "base/terms.hpp"
#include "config/mistake.hpp"
#include "config/server_file.hpp"

#include <pfar/settings.hpp>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace pfar::config {

/// What happens when arguments go to a server of a lower label than the session has.
enum class WriteDown : std::uint8_t { ask, deny, allow };

/// [plugins.NAME]
struct PluginTable {
    Where where;
    Settings settings;
};

struct HostSettings {
    std::chrono::milliseconds idle_exit = std::chrono::minutes(10); // 0: never
    std::int64_t pool_max = 8;
    std::chrono::milliseconds audit_delay{100};      // how much of the record a crash may lose; 0: nothing
    std::vector<std::filesystem::path> plugin_paths; // files, or directories of them
    std::map<std::string, PluginTable> plugins;
    std::string sandbox_backend = "auto", egress_filter = "auto", credential_store = "auto";
    Where backend_at, filter_at, store_at, paths_at; // where these stand, for what only the loaded plugins can tell
    std::string egress_upstream;                     // host:port of a proxy; empty: none
    std::string egress_upstream_auth;                // the vault entry with its "user:password"; empty: none
    base::Approve approve = base::Approve::write;
    WriteDown write_down = WriteDown::ask;
    bool approve_without_terminal = false;
    bool connect_agent_unknown = false;
};

struct HostSettingsResult {
    HostSettings settings; // the defaults where something was wrong
    std::vector<Mistake> mistakes;
};

/// Never throws on input. [any thread]
HostSettingsResult read_host_settings(Source const& source, FileContext const& context);

} // namespace pfar::config
