// The way back from a view to the text.
#include "base/redact_view.hpp"

#include "base/redact_pieces.hpp"

#include <algorithm>

namespace pfar::base::redaction {

std::size_t View::run_of(std::size_t at) const {
    auto const holds = [&](std::size_t i) {
        return i < runs_.size() && runs_[i].view <= at && (i + 1 == runs_.size() || at < runs_[i + 1].view);
    };
    if (holds(cursor_)) return cursor_;
    if (holds(cursor_ + 1)) return ++cursor_;
    auto const after = std::upper_bound(runs_.begin(), runs_.end(), at,
                                        [](std::size_t place, Run const& run) { return place < run.view; });
    return cursor_ = static_cast<std::size_t>(after - runs_.begin()) - 1;
}

Span View::origin(std::size_t at) const {
    return maker_ == nullptr ? Span{offset_ + at, offset_ + at + 1} : maker_->origin(at);
}

} // namespace pfar::base::redaction
