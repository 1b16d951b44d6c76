// The walk over a node's rules, and those that look at one value alone.
#include "pipeline/schema_checker.hpp"

#include "pipeline/schema_equal.hpp"
#include "pipeline/schema_number.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::pipeline::schemas {
namespace {

constexpr unsigned most_visits = 500; // within each other: values are 64 deep at most, the rest is references
constexpr std::size_t most_values_named = 10;

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

std::string as_written(Value literal) {
    auto const* const quote = literal.is(Kind::string) ? "\"" : "";
    return quote + shown(literal.written()) + quote;
}

std::string types_named(unsigned bits) {
    constexpr std::string_view names[] = {"null", "boolean", "number", "string", "array", "object", "integer"};
    std::string out;
    for (unsigned i = 0; i < 7; ++i)
        if ((bits >> i & 1U) != 0) out += (out.empty() ? "" : " or ") + std::string(names[i]);
    return out.empty() ? "nothing" : out;
}

} // namespace

Fit Checker::fit(NodeId id, Value value, Evaluated* outer) {
    auto const& node = program_.nodes[id];
    if (node.count == 0) return Fit::yes;
    Visit const visit(*this, node.resource);
    if (depth_ > most_visits) budget_.spend_all();
    if (!budget_.spend(1 + node.count / 4)) return Fit::unknown;
    auto const rules = program_.rules_of(id);
    std::optional<Evaluated> own; // one that asks hears only of what is within it
    if (rules.back().op >= Op::unevaluated_items) {
        if (!budget_.spend(value.count() / 16)) return Fit::unknown;
        own.emplace(value.count());
    }
    auto out = Fit::yes;
    for (auto const rule : rules) {
        out = std::min(out, apply(rule, value, own ? &*own : outer));
        if (settled(out)) return out;
    }
    if (own && outer != nullptr) outer->merge(*own);
    return out;
}

Fit Checker::apply(Rule rule, Value value, Evaluated* evaluated) {
    switch (rule.op) {
    case Op::never:
        return no(value, [] { return "nothing is allowed here"; });
    case Op::type:
        return type(rule.about, value);
    case Op::unknown:
        return (rule.about & bit(value.kind())) != 0 ? Fit::unknown : Fit::yes;
    case Op::constant:
    case Op::enumeration:
        return literal(rule, value);
    case Op::ref:
        return fit(rule.about, value, evaluated);
    case Op::dynamic_ref:
        return dynamic(program_.list(rule.about), value, evaluated);
    case Op::all_of:
        return all_of(program_.list(rule.about), value, evaluated);
    case Op::any_of:
        return any_of(program_.list(rule.about), value, evaluated);
    case Op::one_of:
        return one_of(program_.list(rule.about), value, evaluated);
    case Op::negation:
        return negation(rule.about, value);
    case Op::condition:
        return condition(program_.list(rule.about), value, evaluated);
    default:
        return by_kind(rule, value, evaluated);
    }
}

Fit Checker::by_kind(Rule rule, Value value, Evaluated* evaluated) {
    switch (value.kind()) {
    case Kind::number:
        return number(rule, value);
    case Kind::string:
        return string(rule, value);
    case Kind::array:
        return array(rule, value, evaluated);
    case Kind::object:
        return object(rule, value, evaluated);
    default:
        return Fit::yes;
    }
}

Fit Checker::type(unsigned bits, Value value) {
    if ((bits & bit(value.kind())) != 0) return Fit::yes;
    if (value.is(Kind::number) && (bits & integer_bit) != 0 && budget_.spend(value.written().size() / 16) &&
        is_integer(value.written()))
        return Fit::yes;
    return no(value, [&] { return fmt::format("expected {}, found {}", types_named(bits), kind_name(value)); });
}

Fit Checker::literal(Rule rule, Value value) {
    auto const wanted = program_.literals.at(rule.about);
    if (rule.op == Op::constant) {
        if (equal(value, wanted, budget_)) return Fit::yes;
        return no(value, [&] { return "expected " + as_written(wanted); });
    }
    for (auto const one : wanted.elements())
        if (equal(value, one, budget_)) return Fit::yes;
    return no(value, [&] {
        std::string list;
        std::size_t named = 0;
        for (auto const one : wanted.elements())
            if (named++ < most_values_named) list += (list.empty() ? "" : ", ") + as_written(one);
        return fmt::format("expected one of {}{}", list, named > most_values_named ? "..." : "");
    });
}

Fit Checker::number(Rule rule, Value value) {
    if (rule.op < Op::minimum || rule.op > Op::multiple_of) return Fit::yes;
    auto const bound = program_.literals.at(rule.about).written();
    if (!budget_.spend((value.written().size() + bound.size()) / 16)) return Fit::unknown;
    if (rule.op == Op::multiple_of)
        return is_multiple(value.written(), bound)
                   ? Fit::yes
                   : no(value, [&] { return fmt::format("expected a multiple of {}", shown(bound)); });
    auto const order = compare(value.written(), bound);
    bool const low = rule.op == Op::minimum || rule.op == Op::exclusive_minimum;
    bool const open = rule.op == Op::exclusive_minimum || rule.op == Op::exclusive_maximum;
    if (open ? (low ? order > 0 : order < 0) : (low ? order >= 0 : order <= 0)) return Fit::yes;
    auto const* const words = open ? (low ? "above" : "below") : (low ? "at least" : "at most");
    return no(value, [&] { return fmt::format("expected {} {}", words, shown(bound)); });
}

Fit Checker::string(Rule rule, Value value) {
    if (rule.op != Op::min_length && rule.op != Op::max_length && rule.op != Op::pattern) return Fit::yes;
    std::string kept;
    if (!budget_.spend(value.escaped_bytes() / 16)) return Fit::unknown;
    auto const text = value.string(kept);
    if (rule.op == Op::pattern) {
        auto const& pattern = program_.patterns[rule.about];
        if (!budget_.spend(pattern.cost(text.size()))) return Fit::unknown;
        if (pattern.found_in(text)) return Fit::yes;
        return no(value, [&] { return "does not match the pattern " + shown(pattern.written(), 100); });
    }
    if (!budget_.spend(text.size() / 64)) return Fit::unknown;
    auto const length = characters(text);
    bool const low = rule.op == Op::min_length;
    if (low ? length >= rule.about : length <= rule.about) return Fit::yes;
    return no(value, [&] {
        return fmt::format("expected {} {} characters, found {}", low ? "at least" : "at most", rule.about, length);
    });
}

} // namespace pfar::pipeline::schemas
