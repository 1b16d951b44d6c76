// Coalescer: of what one session has refused to it many times a second, the record has the first ones and the number of the others.
//
// Pure: whoever uses it says what time it is and writes what it hands out.
#pragma once

#include "audit/entry.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::audit {

class Coalescer {
public:
    struct Limits {
        std::uint64_t a_second = 20; // of a session
        std::size_t sessions = 1024; // at a time; the others are counted together
    };

    Coalescer() : Coalescer(Limits()) {}
    explicit Coalescer(Limits const& limits) : limits_(limits) {}

    /// True: write it. False: it is counted.
    bool admit(std::string_view session, Time now);
    /// An event `refusals` with {session, outcome, count, since} for each session whose second is over and that something was
    /// counted for; with `all`, for every such session. To be called about once a second, and at the end with `all`.
    std::vector<Event> due(Time now, bool all = false);

private:
    struct Second {
        Time began;
        std::uint64_t admitted = 0, counted = 0;

        [[nodiscard]] bool is_over(Time now) const;
    };
    Second& second_of(std::string_view session, Time now);

    Limits limits_;
    std::map<std::string, Second, std::less<>> seconds_; // by session; "": those that there was no room for
};

} // namespace pfar::audit
