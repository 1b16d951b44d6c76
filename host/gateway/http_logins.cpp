#include "gateway/http_logins.hpp"

#include "gateway/http_sessions.hpp"

#include <sodium.h>

#include <algorithm>

namespace pfar::gateway {

bool is_same_text(std::string_view a, std::string_view b) {
    return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

HttpLogins::Login const& HttpLogins::begin(Clock::time_point now) {
    if (logins_.size() >= most) logins_.pop_front();
    return logins_.emplace_back(Login{random_id(32), random_id(32), now + life_});
}

HttpLogins::Login* HttpLogins::find(std::string_view cookie, Clock::time_point now) {
    logins_.remove_if([&](auto const& login) { return login.until <= now; });
    auto const found = std::find_if(logins_.begin(), logins_.end(),
                                    [&](auto const& login) { return is_same_text(login.cookie, cookie); });
    return found == logins_.end() ? nullptr : &*found;
}

void HttpLogins::end(std::string_view cookie) {
    logins_.remove_if([&](auto const& login) { return is_same_text(login.cookie, cookie); });
}

bool HttpLogins::forgives(Clock::time_point now) {
    while (!wrong_.empty() && now - wrong_.front() > std::chrono::minutes(1)) wrong_.pop_front();
    if (wrong_.size() >= most_wrong) return false;
    wrong_.push_back(now);
    return true;
}

} // namespace pfar::gateway
