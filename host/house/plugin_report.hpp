// What `pfar plugins` tells: the plugins in use, the ones refused, and which one of each kind is chosen and why.
#pragma once

#include "house/house.hpp"

#include <string>
#include <vector>

namespace pfar::house {

struct PluginRow {
    std::string kind, name, version;
    std::uint32_t api;
    std::filesystem::path path;
    bool chosen = false;
    std::string why; // of the choice
};

struct PluginReport {
    std::vector<PluginRow> rows;
    std::vector<std::string> refused;  // sentences
    std::vector<std::string> unusable; // kinds for which no plugin can be used, and why
};

/// Tries the sandbox backends for real. [main thread, may block]
PluginReport report_plugins(House const& house);

} // namespace pfar::house
