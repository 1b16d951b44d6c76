// The order of views: each is looked through, then what is left to undo in it is undone.
#include "base/redact_finder.hpp"

#include "base/redact_pieces.hpp"

#include <algorithm>

namespace pfar::base::redaction {
namespace {

constexpr std::size_t least_block = 1U << 16U;
/// More than a match takes of its neighbours, the rest of an escape, and what makes a line look wrapped.
constexpr std::size_t margin = 40;

/// In this order; `most` bytes may yet become one in the steps after it.
struct Step {
    Escape escape;
    std::size_t most;
};
constexpr Step steps[] = {{Escape::json, 6 * 6 * 3 * 3},
                          {Escape::json, 6 * 3 * 3},
                          {Escape::json, 3 * 3},
                          {Escape::percent, 3},
                          {Escape::wrapped, 1}};

} // namespace

Finder::Finder() : base_(random_base()), all_(base_), base64_(base_) {}

void Finder::add(std::string_view value, std::size_t secret) {
    each_spelling(value, [&](Spelling const& spelling) {
        all_.add(spelling, secret);
        dividers_.add(spelling.bytes);
        if (spelling.base64) base64_.add(spelling, secret);
    });
}

void Finder::seal() {
    all_.seal();
    base64_.seal();
}

Findings Finder::find(std::string_view text, bool open) const {
    Findings found;
    if (empty() || (!open && text.size() < all_.shortest())) return found; // no view is longer than its text
    scan_text(text, open, found);
    examine(View(text, 0, open), 0, found);
    return found;
}

/// In blocks, so that fingerprints take memory for one block only.
void Finder::scan_text(std::string_view text, bool open, Findings& found) const {
    auto const overlap = all_.longest() + margin;
    auto const block = std::max(least_block, 4 * overlap);
    for (std::size_t at = 0;; at += block - overlap) {
        bool const last = text.size() - at <= block;
        all_.scan(View(text.substr(at, block), at, last && open), found);
        if (last) return;
    }
}

void Finder::examine(View const& view, std::size_t step, Findings& found) const {
    auto const reach = all_.longest() + margin;
    for (auto const first = step; step < std::size(steps); ++step) {
        auto const [escape, most] = steps[step];
        if (escape == Escape::json && step != first) continue; // the second time is for what the first has made
        Pieces pieces(view, {escape, reach, most * reach, escape == Escape::json ? &dividers_ : nullptr});
        while (auto const* const piece = pieces.next()) {
            (escape == Escape::wrapped ? base64_ : all_).scan(*piece, found);
            examine(*piece, step + 1, found);
        }
        found.work += view.bytes().size();
    }
}

} // namespace pfar::base::redaction
