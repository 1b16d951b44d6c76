// An event as JSON text, before it has its place in the chain.
//
// It reads back to what was said. Nothing in it can end a line or disturb a terminal, and it has a bound: what is too
// long keeps its short members and says so. The work is in two halves: what an event is made of becomes text where it is added, so that its
// size is known and nothing else is kept; all the rest is the writer's.
#pragma once

#include "audit/event.hpp"

#include <chrono>
#include <string>

namespace pfar::audit {

inline constexpr std::size_t longest_line = 64U << 10U;

using Time = std::chrono::system_clock::time_point;

struct Draft {
    std::string kind, members;
    Time when;
    std::shared_ptr<base::Redactor const> redactor;

    [[nodiscard]] std::size_t size() const { return kind.size() + members.size(); }
};

/// The first half: costs next to nothing for an event without details. [any thread]
Draft draft_of(Event event, Time when);

/// `"ts":"2026-11-16T16:40:00.123Z","kind":"egress","server":"notion"`: the members between seq and prev. [any thread]
std::string entry_text(Draft const& draft);
std::string entry_text(Event event, Time when);

/// 2026-11-16T16:40:00.123Z
std::string time_text(Time when);

} // namespace pfar::audit
