#include "egress/ledger.hpp"

#include "base/host_name.hpp"
#include "base/text.hpp"

#include <spdlog/spdlog.h>

namespace pfar::egress {
namespace {

constexpr std::size_t domains_a_minute = 50, domains_ever = 200, connections_a_minute = 600, shown = 260;
constexpr auto window = std::chrono::minutes(1);

std::string shown_host(std::string const& said) {
    if (auto const host = base::canonical_host(said)) return host->name;
    return base::printable(said.substr(0, shown));
}

/// Counts it under its domain, port and reason, or in `crowd` if there are too many. True if it is the first of its kind.
bool count(std::map<std::string, Blocked>& all, Blocked const& blocked, std::size_t most, std::uint64_t& crowd) {
    auto const key = blocked.domain + " " + blocked.remedy + " " + blocked.why;
    auto found = all.find(key);
    if (found == all.end() && all.size() >= most) return ++crowd == 1;
    bool const first = found == all.end();
    if (first) found = all.emplace(key, blocked).first, found->second.count = 0;
    ++found->second.count;
    found->second.last = blocked.last;
    return first;
}

} // namespace

void Ledger::begin_minute(Clock::time_point now) {
    settle(now, false);
    if (minute_.empty() && crowd_ == 0 && connections_ == 0) minute_began_ = now;
}

void Ledger::block(Blocked blocked, Clock::time_point now) {
    begin_minute(now);
    ++total_;
    blocked.last = now;
    count(ever_, blocked, domains_ever, ever_crowd_);
    if (count(minute_, blocked, domains_a_minute, crowd_))
        spdlog::warn("egress: {} was kept from {}: {}", server_, blocked.domain.empty() ? "something" : blocked.domain,
                     blocked.why);
}

void Ledger::closed(EgressRecord const& record, Clock::time_point now) {
    auto const& destination = record.destination;
    if (!record.allowed) return block({shown_host(destination.host), base::printable(record.ended), "", 1, {}}, now);
    begin_minute(now);
    if (++connections_ > connections_a_minute) {
        rest_.sent += record.sent;
        rest_.received += record.received;
    } else if (audit_) {
        audit_({{"server", server_},
                {"outcome", "allowed"},
                {"domain", shown_host(destination.host)},
                {"port", destination.port},
                {"sent", record.sent},
                {"received", record.received},
                {"ms", record.lasted.count()},
                {"ended", base::printable(record.ended)}});
    }
}

void Ledger::settle(Clock::time_point now, bool all) {
    if (!all && now - minute_began_ < window) return;
    for (auto const& [domain, blocked] : minute_) tell(blocked);
    if (crowd_ > 0) tell({"", "more domains than can be listed", "", crowd_, {}});
    if (connections_ > connections_a_minute && audit_)
        audit_({{"server", server_},
                {"outcome", "allowed"},
                {"domain", ""},
                {"count", connections_ - connections_a_minute},
                {"sent", rest_.sent},
                {"received", rest_.received}});
    minute_.clear();
    rest_ = {};
    crowd_ = connections_ = 0;
}

void Ledger::tell(Blocked const& blocked) const {
    if (!audit_) return;
    audit_({{"server", server_},
            {"outcome", "blocked"},
            {"domain", blocked.domain},
            {"count", blocked.count},
            {"why", blocked.why}});
}

std::vector<Blocked> Ledger::blocked() const {
    std::vector<Blocked> out;
    for (auto const& [domain, blocked] : ever_) out.push_back(blocked);
    if (ever_crowd_ > 0) out.push_back({"", "further domains", "", ever_crowd_, {}});
    return out;
}

} // namespace pfar::egress
