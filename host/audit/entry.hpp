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

/// The first half: its details become members, which costs next to nothing if there are none. [any thread]
void make_text(Event& event);

/// What the second half is made of; `members` as make_text left them.
struct Draft {
    std::string_view kind, members;
    Time when;
    base::Redactor const* redactor; // null: nothing is looked for
};

/// `"ts":"2026-11-16T16:40:00.123Z","kind":"egress","server":"notion"`: the members between seq and prev. [any thread]
void append_entry(std::string& out, Draft const& draft);
std::string entry_text(Event event, Time when);

/// 2026-11-16T16:40:00.123Z
void append_time(std::string& out, Time when);
std::string time_text(Time when);

} // namespace pfar::audit
