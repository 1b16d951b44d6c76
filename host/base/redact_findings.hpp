// What was found in a text: the places to be replaced, and from where on more text may still make a match.
#pragma once

#include "base/redact_view.hpp"

#include <limits>

namespace pfar::base::redaction {

struct Finding {
    std::size_t begin, end;
    std::size_t first_end; // of the match that gave it its name; others that overlap only made it longer
    std::size_t secret;
};

class Findings {
public:
    static constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();

    void add(Span span, std::size_t secret);
    /// A match may yet begin at `place`.
    void hold(std::size_t place) { held_ = place < held_ ? place : held_; }

    [[nodiscard]] bool empty() const { return all_.empty(); }
    [[nodiscard]] std::size_t held() const { return held_; }
    /// In order and apart. Leftmost, then longest, then first known gives the name; what overlaps is swallowed.
    [[nodiscard]] std::vector<Finding> merged() &&;

    std::size_t work = 0; // bytes looked at, lookups and comparisons: what tests hold to be linear

private:
    std::vector<Finding> all_;
    std::size_t held_ = nothing;
};

} // namespace pfar::base::redaction
