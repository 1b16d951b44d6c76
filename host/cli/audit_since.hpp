// --since: how long ago, or when.
#pragma once

#include <pfar/result.hpp>

#include <chrono>
#include <string>

namespace pfar::cli {

/// "30m", "1h", "2d" before `now`; "2026-11-18", "2026-11-18T10:00", "2026-11-18 10:00:30" by the local clock, or with a Z behind it by
/// UTC. Errc::invalid with a sentence otherwise.
Result<std::chrono::system_clock::time_point> parse_since(std::string const& text,
                                                          std::chrono::system_clock::time_point now);

} // namespace pfar::cli
