#include "pipeline/standing.hpp"

#include <algorithm>

namespace pfar::pipeline {

base::Label Labels::of(Offer const& offer) const {
    auto const found = written_.find(offer.identity);
    return found == written_.end() ? offer.label : std::max(offer.label, found->second);
}

void Labels::seen(Standing& standing, Offer const& offer) const {
    auto const label = of(offer);
    if (label > standing.label) standing.label = label, standing.label_from = offer.name;
    if (offer.taint > standing.taint) standing.taint = offer.taint, standing.taint_from = offer.name;
}

void Labels::written(Standing const& standing, Offer const& offer) {
    auto& highest = written_.try_emplace(offer.identity, base::Label::open).first->second;
    highest = std::max(highest, standing.label);
}

} // namespace pfar::pipeline
