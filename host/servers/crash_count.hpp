// CrashCount: when a server that crashed is started again, and when not any more. Pure: who asks brings the time.
#pragma once

#include <chrono>
#include <deque>
#include <optional>

namespace pfar::servers {

class CrashCount {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// 1 s after the first, 5 s after the second, 30 s after any later one. None: the third within ten minutes; it is to be disabled. Ten minutes without
    /// a crash begin a new count.
    std::optional<std::chrono::seconds> crashed(Time now);
    void forget() { crashes_.clear(), count_ = 0; }
    [[nodiscard]] int recent() const { return count_; }

private:
    std::deque<Time> crashes_; // of the last ten minutes
    int count_ = 0;            // without ten minutes between two
};

/// Up to a tenth more or less, so that servers that fell together do not come back together.
std::chrono::milliseconds with_jitter(std::chrono::seconds wait);

} // namespace pfar::servers
