// Rules about objects.
#include "base/text.hpp"
#include "pipeline/schema_checker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::pipeline::schemas {
namespace {

/// The node of the property of that name, or `none`. `list` is that of Op::members.
NodeId property(Program const& program, std::span<std::uint32_t const> list, std::string_view name) {
    std::size_t low = 0, high = list[0];
    while (low < high) {
        auto const middle = (low + high) / 2;
        auto const order = program.name(list[2 + 2 * middle]).compare(name);
        if (order == 0) return list[3 + 2 * middle];
        (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
    }
    return none;
}

} // namespace

Fit Checker::object(Rule rule, Value value, Evaluated* evaluated) {
    switch (rule.op) {
    case Op::min_properties:
    case Op::max_properties:
        return size(rule.about, rule.op == Op::min_properties, value);
    case Op::required:
        return required(program_.list(rule.about), value);
    case Op::dependent_required:
        return dependent_required(program_.list(rule.about), value);
    case Op::property_names:
        return property_names(rule.about, value);
    case Op::members:
        return members(program_.list(rule.about), value, evaluated);
    case Op::dependent_schemas:
        return dependent_schemas(program_.list(rule.about), value, evaluated);
    case Op::unevaluated_properties:
        return unevaluated_properties(rule.about, value, *evaluated);
    default:
        return Fit::yes;
    }
}

Fit Checker::size(std::uint32_t bound, bool low, Value value) {
    if (low ? value.count() >= bound : value.count() <= bound) return Fit::yes;
    return no(value, [&] {
        return fmt::format("expected {} {} {}, found {}", low ? "at least" : "at most", bound,
                           value.is(Kind::object) ? "properties" : "items", value.count());
    });
}

/// True too once the budget is spent.
bool Checker::has_property(Value object, std::uint32_t name) {
    auto const text = program_.name(name);
    std::string kept;
    if (!budget_.spend(1 + object.count() / 4)) return true;
    for (auto const [key, value] : object.members()) {
        if (!key.may_say(text.size())) continue;
        if (!budget_.spend((key.escaped_bytes() + 15) / 16)) return true;
        if (key.string(kept) == text) return true;
    }
    return false;
}

Fit Checker::required(List names, Value object) {
    auto out = Fit::yes;
    for (auto const name : names) {
        if (has_property(object, name)) continue;
        out = no(object, [&] { return fmt::format("the property \"{}\" is missing", shown(program_.name(name))); });
        if (settled(out)) break;
    }
    return out;
}

Fit Checker::dependent_required(List names, Value object) {
    return has_property(object, names.front()) ? required(names.subspan(1), object) : Fit::yes;
}

Fit Checker::property_names(NodeId node, Value object) {
    auto out = Fit::yes;
    for (auto const [key, value] : object.members()) {
        out = std::min(out, fit(node, key, nullptr));
        if (settled(out)) break;
    }
    return out;
}

Fit Checker::members(List list, Value object, Evaluated* evaluated) {
    auto out = Fit::yes;
    std::size_t index = 0;
    for (auto const member : object.members()) {
        bool known = false;
        if (!budget_.spend(1 + member.key.escaped_bytes() / 16)) break;
        out = std::min(out, this->member(list, member, known));
        if (settled(out)) break;
        if (known && evaluated != nullptr) evaluated->mark(index);
        ++index;
    }
    return out;
}

Fit Checker::member(List list, Member member, bool& known) {
    std::string kept;
    auto const name = member.key.string(kept);
    auto const patterns = list.subspan(2 + 2 * list[0]);
    auto out = Fit::yes;
    auto const apply_node = [&](NodeId node) {
        known = true;
        out = std::min(out, fit(node, member.value, nullptr));
    };
    if (auto const node = property(program_, list, name); node != none) apply_node(node);
    for (std::size_t i = 0; i < patterns.size(); i += 2) {
        if (patterns[i] == none) {
            known = true, out = std::min(out, Fit::unknown);
            continue;
        }
        auto const& pattern = program_.patterns[patterns[i]];
        if (!budget_.spend(pattern.cost(name.size()))) return out;
        if (pattern.found_in(name)) apply_node(patterns[i + 1]);
    }
    if (known || list[1] == none) return out;
    if (program_.is_never(list[1])) return unknown_property(member, list.subspan(2, 2 * list[0]));
    apply_node(list[1]);
    return out;
}

/// `names`: (name, node) of those that there are.
Fit Checker::unknown_property(Member member, List names) {
    return no(member.value, [&]() -> std::string {
        std::vector<std::string_view> candidates;
        for (std::size_t i = 0; i < names.size() && i < 200; i += 2)
            if (auto const name = program_.name(names[i]); name.size() <= 64) candidates.push_back(name);
        auto const meant = base::nearest(member.key.text(), candidates);
        if (meant) return fmt::format("there is no such property; did you mean \"{}\"?", shown(*meant));
        return "there is no such property";
    });
}

Fit Checker::dependent_schemas(List list, Value object, Evaluated* evaluated) {
    auto out = Fit::yes;
    for (std::size_t i = 0; i < list.size() && !settled(out); i += 2)
        if (has_property(object, list[i])) out = std::min(out, fit(list[i + 1], object, evaluated));
    return out;
}

Fit Checker::unevaluated_properties(NodeId node, Value object, Evaluated& evaluated) {
    auto out = Fit::yes;
    std::size_t index = 0;
    for (auto const member : object.members()) {
        if (!budget_.spend(1) || settled(out)) break;
        if (!evaluated.has(index))
            out = std::min(out,
                           program_.is_never(node) ? unknown_property(member, {}) : fit(node, member.value, nullptr));
        evaluated.mark(index++);
    }
    return out;
}

} // namespace pfar::pipeline::schemas
