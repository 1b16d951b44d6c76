// The revisions of MCP that pfar speaks, to servers and to clients.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace pfar::wire {

inline constexpr std::array<std::string_view, 4> revisions{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};

inline bool is_revision(std::string_view word) {
    return std::find(revisions.begin(), revisions.end(), word) != revisions.end();
}

} // namespace pfar::wire
