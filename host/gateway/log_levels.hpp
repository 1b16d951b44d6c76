// MCP's levels of log messages, and which of them a client wants.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace pfar::gateway {

inline constexpr std::array<std::string_view, 8> log_levels{"debug", "info",     "notice", "warning",
                                                            "error", "critical", "alert",  "emergency"};

/// How severe it is; none if it is no level.
inline std::optional<std::size_t> log_level(std::string_view word) {
    auto const* const found = std::find(log_levels.begin(), log_levels.end(), word);
    if (found == log_levels.end()) return {};
    return static_cast<std::size_t>(found - log_levels.begin());
}

/// `asked` for: empty if the client has not said.
inline bool is_wanted(std::string_view asked, std::string_view level) {
    return asked.empty() || log_level(level).value_or(log_levels.size()) >= log_level(asked).value_or(0);
}

} // namespace pfar::gateway
