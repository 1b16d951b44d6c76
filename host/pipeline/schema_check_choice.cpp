// Rules that apply other schemas to the same value.
#include "pipeline/schema_checker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::pipeline::schemas {
namespace {

constexpr std::size_t most_alternatives_explained = 5;

}

Fit Checker::dynamic(List list, Value value, Evaluated* evaluated) {
    auto node = list[0];
    auto const anchor_in = [&](Resource resource) {
        return std::find_if(program_.anchors.begin(), program_.anchors.end(),
                            [&](auto const& anchor) { return anchor.resource == resource && anchor.name == list[1]; });
    };
    for (auto const resource : scope_) { // the outermost that has it
        if (!budget_.spend(1 + program_.anchors.size())) return Fit::unknown;
        auto const found = anchor_in(resource);
        if (found == program_.anchors.end()) continue;
        node = found->node;
        break;
    }
    return fit(node, value, evaluated);
}

Fit Checker::all_of(List nodes, Value value, Evaluated* evaluated) {
    auto out = Fit::yes;
    for (auto const node : nodes) {
        out = std::min(out, fit(node, value, evaluated));
        if (settled(out)) break;
    }
    return out;
}

Fit Checker::attempt(NodeId node, Value value, Evaluated* evaluated) {
    Quiet const quiet(*this);
    if (evaluated == nullptr) return fit(node, value, nullptr);
    if (!budget_.spend(value.count() / 16)) return Fit::unknown;
    Evaluated marks(value.count());
    auto const out = fit(node, value, &marks);
    if (out != Fit::no) evaluated->merge(marks);
    return out;
}

Fit Checker::any_of(List nodes, Value value, Evaluated* evaluated) {
    auto out = Fit::no;
    for (auto const node : nodes) {
        out = std::max(out, attempt(node, value, evaluated));
        if (budget_.spent() || (out == Fit::yes && evaluated == nullptr)) return out;
    }
    return out == Fit::no ? no(value, [&] { return alternatives(nodes, value); }) : out;
}

Fit Checker::one_of(List nodes, Value value, Evaluated* evaluated) {
    std::size_t sure = 0, possible = 0;
    for (auto const node : nodes) {
        auto const answer = attempt(node, value, evaluated);
        if (budget_.spent()) return Fit::unknown;
        if (answer == Fit::yes) ++sure;
        if (answer != Fit::no) ++possible;
        if (sure > 1) return no(value, [] { return "fits more than one of the alternatives, expected exactly one"; });
    }
    if (possible == 0) return no(value, [&] { return alternatives(nodes, value); });
    return sure == 1 && possible == 1 ? Fit::yes : Fit::unknown;
}

/// What each of them asks for. Not of alternatives within alternatives: those would be more with every level.
std::string Checker::alternatives(List nodes, Value value) {
    auto out = fmt::format("fits none of the {} alternatives", nodes.size());
    if (explaining_ || nodes.size() > most_alternatives_explained) return out;
    explaining_ = true;
    std::string reasons;
    for (auto const node : nodes) {
        Findings own(1);
        Quiet const others(*this, &own);
        fit(node, value, nullptr);
        if (!own.empty()) reasons += (reasons.empty() ? "" : " | ") + own.first();
    }
    explaining_ = false;
    return reasons.empty() ? out : fmt::format("{} ({})", out, reasons);
}

Fit Checker::negation(NodeId node, Value value) {
    auto const inner = attempt(node, value, nullptr);
    if (inner == Fit::yes) return no(value, [] { return "is of a kind that is not allowed here"; });
    return inner == Fit::no ? Fit::yes : Fit::unknown;
}

Fit Checker::condition(List list, Value value, Evaluated* evaluated) {
    auto const met = attempt(list[0], value, evaluated);
    if (met == Fit::unknown) {
        if (evaluated != nullptr) evaluated->mark_all();
        return Fit::unknown;
    }
    auto const then = met == Fit::yes ? list[1] : list[2];
    return then == none ? Fit::yes : fit(then, value, evaluated);
}

} // namespace pfar::pipeline::schemas
