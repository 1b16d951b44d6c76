// Rules about arrays.
#include "pipeline/schema_checker.hpp"
#include "pipeline/schema_equal.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::pipeline::schemas {

Fit Checker::array(Rule rule, Value value, Evaluated* evaluated) {
    switch (rule.op) {
    case Op::min_items:
    case Op::max_items:
        return size(rule.about, rule.op == Op::min_items, value);
    case Op::items:
        return items(program_.list(rule.about), value, evaluated);
    case Op::contains:
        return contains(program_.list(rule.about), value, evaluated);
    case Op::unique_items:
        return unique(value);
    case Op::unevaluated_items:
        return unevaluated_items(rule.about, value, *evaluated);
    default:
        return Fit::yes;
    }
}

Fit Checker::items(List list, Value array, Evaluated* evaluated) {
    auto out = Fit::yes;
    std::size_t index = 0;
    if (!budget_.spend(array.count() / 8)) return Fit::unknown;
    for (auto const item : array.elements()) {
        auto const node = index + 1 < list.size() ? list[index + 1] : list[0];
        if (node == none) break;
        out = std::min(out, fit(node, item, nullptr));
        if (settled(out)) break;
        if (evaluated != nullptr) evaluated->mark(index);
        ++index;
    }
    return out;
}

Fit Checker::contains(List list, Value array, Evaluated* evaluated) {
    std::size_t sure = 0, possible = 0, index = 0;
    for (auto const item : array.elements()) {
        if (!budget_.spend(1)) return Fit::unknown;
        auto const answer = attempt(list[0], item, nullptr);
        if (answer == Fit::yes) ++sure;
        if (answer != Fit::no) ++possible;
        if (answer != Fit::no && evaluated != nullptr) evaluated->mark(index);
        if (sure >= list[1] && list[2] == none && evaluated == nullptr) return Fit::yes;
        ++index;
    }
    if (possible < list[1])
        return no(array, [&] {
            return fmt::format("expected at least {} items of a certain kind, found {}", list[1], possible);
        });
    if (sure > list[2])
        return no(array,
                  [&] { return fmt::format("expected at most {} items of a certain kind, found {}", list[2], sure); });
    return sure >= list[1] && possible <= list[2] ? Fit::yes : Fit::unknown;
}

Fit Checker::unevaluated_items(NodeId node, Value array, Evaluated& evaluated) {
    auto out = Fit::yes;
    std::size_t index = 0;
    for (auto const item : array.elements()) {
        if (!budget_.spend(1) || settled(out)) break;
        if (!evaluated.has(index)) out = std::min(out, fit(node, item, nullptr));
        evaluated.mark(index++);
    }
    return out;
}

Fit Checker::unique(Value array) {
    if (!has_twins(array, budget_)) return Fit::yes;
    return no(array, [] { return "two items are the same"; });
}

} // namespace pfar::pipeline::schemas
