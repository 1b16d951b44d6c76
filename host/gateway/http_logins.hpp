// HttpLogins: who has shown the owner's token in a browser. In memory only: a restart logs everybody out.
#pragma once

#include "gateway/http_limits.hpp"

#include <deque>
#include <list>
#include <string>
#include <string_view>

namespace pfar::gateway {

/// Takes the same time wherever the first difference is.
bool is_same_text(std::string_view a, std::string_view b);

class HttpLogins {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t most = 16, most_wrong = 5; // wrong tries a minute

    struct Login {
        std::string cookie, form; // what its browser sends, and what each form of its page carries
        Clock::time_point until;
        std::string notice{}; // shown once, on the next page
    };
    explicit HttpLogins(HttpLimits::Time life) : life_(life) {}

    /// A new one; the oldest goes if there are too many. [main thread, as all of it]
    Login const& begin(Clock::time_point now);
    /// Null if there is none, or its time is over.
    Login* find(std::string_view cookie, Clock::time_point now);
    void end(std::string_view cookie);

    /// One more wrong try. False if there were too many in the last minute.
    bool forgives(Clock::time_point now);

private:
    HttpLimits::Time life_;
    std::list<Login> logins_;
    std::deque<Clock::time_point> wrong_;
};

} // namespace pfar::gateway
