// Relay: passes bytes from one descriptor to another, one way, for whoever polls it. At most 64 KiB are on the way.
//
// One of the two may be shared with strangers and block: it is read and written only when poll allows it, and never changed.
#pragma once

#include "base/fd.hpp"

#include <poll.h>

#include <cstddef>
#include <string>
#include <vector>

namespace pfar::control {

class Relay {
public:
    /// `gulp`: how much `to` is given at once, so that a descriptor that blocks does not. SIGPIPE has to be ignored. [any thread, as all of it]
    Relay(base::Fd from, base::Fd to, std::size_t gulp);

    static constexpr std::size_t entries = 2;
    /// Adds as many entries.
    void watch(std::vector<pollfd>& waits) const;
    /// The same, after the wait.
    void ready(pollfd const& from, pollfd const& to);
    /// Everything up to the end was passed on, or nobody takes it any more. Both are closed then.
    [[nodiscard]] bool is_over() const { return !to_; }

private:
    void take();
    void give();
    void close();

    base::Fd from_, to_;
    std::size_t gulp_, begin_ = 0, end_ = 0; // what is on the way, in buffer_
    std::string buffer_;
};

} // namespace pfar::control
