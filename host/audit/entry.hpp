// An event as JSON text, before it has its place in the chain.
//
// It reads back to what was said. Nothing in it can end a line or disturb a terminal, and it has a bound: what is too
// long keeps its short members and says so.
#pragma once

#include "audit/event.hpp"

#include <chrono>
#include <string>

namespace pfar::audit {

inline constexpr std::size_t longest_line = 64U << 10U;

/// `"ts":"2026-11-16T16:40:00.123Z","kind":"egress","server":"notion"`: the members between seq and prev. [any thread]
std::string entry_text(Event event, std::chrono::system_clock::time_point when);

} // namespace pfar::audit
