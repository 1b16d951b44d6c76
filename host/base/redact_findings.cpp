// Matches in a periodic text overlap by the thousand; those are joined as they come.
#include "base/redact_findings.hpp"

#include <algorithm>
#include <tuple>

namespace pfar::base::redaction {

void Findings::add(Span span, std::size_t secret) {
    if (!all_.empty() && all_.back().begin < span.begin && span.begin < all_.back().end)
        all_.back().end = std::max(all_.back().end, span.end);
    else
        all_.push_back({span.begin, span.end, span.end, secret});
}

std::vector<Finding> Findings::merged() && {
    std::sort(all_.begin(), all_.end(), [](Finding const& a, Finding const& b) {
        return std::tuple(a.begin, b.first_end, a.secret) < std::tuple(b.begin, a.first_end, b.secret);
    });
    std::size_t kept = 0;
    for (auto const& next : all_) {
        if (kept != 0 && next.begin < all_[kept - 1].end)
            all_[kept - 1].end = std::max(all_[kept - 1].end, next.end);
        else
            all_[kept++] = next;
    }
    all_.resize(kept);
    return std::move(all_);
}

} // namespace pfar::base::redaction
