#include "cli/audit_since.hpp"

#include "base/text.hpp"
#include "config/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <optional>

namespace pfar::cli {
namespace {

/// None if it is not written so, or there is no such day.
std::optional<std::time_t> time_in(std::string const& text, char const* format, bool utc) {
    std::tm parts{};
    char const* const end = ::strptime(text.c_str(), format, &parts);
    if (end == nullptr || *end != '\0') return {};
    parts.tm_isdst = -1;
    auto const day = parts.tm_mday;
    auto const time = utc ? ::timegm(&parts) : std::mktime(&parts);
    constexpr std::time_t most = 9'000'000'000; // in 2255: the clock counts nanoseconds, and not for ever
    return parts.tm_mday == day ? std::optional(std::clamp<std::time_t>(time, 0, most)) : std::nullopt;
}

} // namespace

Result<std::chrono::system_clock::time_point> parse_since(std::string const& text,
                                                          std::chrono::system_clock::time_point now) {
    if (auto const ago = config::parse_duration(text)) return now - *ago;
    bool const utc = text.ends_with('Z');
    auto const plain = text.substr(0, text.size() - (utc ? 1 : 0));
    for (auto const* const format :
         {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"})
        if (auto const time = time_in(plain, format, utc)) return std::chrono::system_clock::from_time_t(*time);
    return fail(Errc::invalid,
                fmt::format("--since is how long ago, such as 30m, 1h or 2d, or a time such as 2026-11-18 "
                            "or 2026-11-18T10:00, not \"{}\"",
                            base::printable(text)));
}

} // namespace pfar::cli
