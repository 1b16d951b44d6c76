// Ledger: what one sandbox was refused and what it did, for its owner: counts, log lines and audit events.
//
// A server in a loop must not fill a disk. So refusals are told once per domain and minute with a count, and above 50 domains a
// minute as one number; connections are told one by one up to 600 a minute, and above that as one sum.
#pragma once

#include <pfar/egress_filter.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace pfar::egress {

/// One thing that was refused. `remedy` is the rule that would allow it, if a rule would.
struct Blocked {
    std::string domain, why, remedy;
    std::uint64_t count = 0;
    std::chrono::steady_clock::time_point last{}; // when
};

class Ledger {
public:
    using Audit = std::function<void(boost::json::object details)>; // may be empty
    using Clock = std::chrono::steady_clock;

    Ledger(std::string server, Audit audit) : server_(std::move(server)), audit_(std::move(audit)) {}

    /// [executor], as all that follows
    void block(Blocked blocked, Clock::time_point now);
    void closed(EgressRecord const& record, Clock::time_point now);
    /// Tells the audit what has been counted for a minute or, with `all`, so far.
    void settle(Clock::time_point now, bool all);

    [[nodiscard]] std::uint64_t total() const { return total_; }
    /// By domain; what did not fit is one entry without a domain.
    [[nodiscard]] std::vector<Blocked> blocked() const;

private:
    void tell(Blocked const& blocked) const;
    void begin_minute(Clock::time_point now);

    std::string server_;
    Audit audit_;
    std::map<std::string, Blocked> minute_, ever_;
    std::uint64_t crowd_ = 0, ever_crowd_ = 0, total_ = 0, connections_ = 0;
    EgressRecord rest_{}; // of the minute's connections, what was not told one by one
    Clock::time_point minute_began_{};
};

} // namespace pfar::egress
