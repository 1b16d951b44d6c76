#include "audit/coalesce.hpp"

namespace pfar::audit {
namespace {

Event summary(std::string const& session, std::uint64_t count, Time since) {
    Event event{"refusals", {{"outcome", "refused"}, {"count", count}, {"since", time_text(since)}}};
    if (!session.empty()) event.details["session"] = session;
    return event;
}

} // namespace

/// Also if the clock was set back.
bool Coalescer::Second::is_over(Time now) const {
    return now < began || now - began >= std::chrono::seconds(1);
}

Coalescer::Second& Coalescer::second_of(std::string_view session, Time now) {
    if (auto const found = seconds_.find(session); found != seconds_.end()) return found->second;
    if (seconds_.size() >= limits_.sessions)
        std::erase_if(seconds_,
                      [&](auto const& entry) { return entry.second.is_over(now) && entry.second.counted == 0; });
    auto const key = seconds_.size() >= limits_.sessions ? std::string() : std::string(session);
    return seconds_.try_emplace(key, Second{now}).first->second;
}

bool Coalescer::admit(std::string_view session, Time now) {
    auto& second = second_of(session, now);
    if (second.is_over(now) && second.counted == 0) second = {now}; // what was counted waits for due()
    if (second.counted == 0 && second.admitted < limits_.a_second) return ++second.admitted, true;
    ++second.counted;
    return false;
}

std::vector<Event> Coalescer::due(Time now, bool all) {
    std::vector<Event> out;
    for (auto entry = seconds_.begin(); entry != seconds_.end();) {
        auto const& [session, second] = *entry;
        bool const over = all || second.is_over(now);
        if (over && second.counted > 0) out.push_back(summary(session, second.counted, second.began));
        entry = over ? seconds_.erase(entry) : std::next(entry);
    }
    return out;
}

} // namespace pfar::audit
