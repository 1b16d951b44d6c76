// What keywords that hold schemas become.
#include "pipeline/schema_compiler.hpp"
#include "pipeline/schema_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::pipeline::schemas {

Result<void> Compiler::schema(Op op, Value value) {
    PFAR_TRY(inner, node(value));
    add(op, inner);
    return {};
}

Result<void> Compiler::schema_list(Op op, Value value) {
    PFAR_TRY(list, nodes_of(value));
    if (list.empty()) return wrong(value, "at least one schema");
    add_list(op, list);
    return {};
}

Result<void> Compiler::reference(Op op, Value value) {
    if (!value.is(Kind::string)) return wrong(value, "a string");
    auto target = index_.find(schema_.place(), value.text());
    if (!target) return fail(Errc::invalid, fmt::format("{}: {}", where(tree_, value.place()), target.error().what));
    PFAR_TRY(to, node(tree_.at(target->place)));
    if (op == Op::ref || target->dynamic.empty()) return add(Op::ref, to), Result<void>();
    for (std::size_t i = 0; i < index_.anchors().size(); ++i) // any of them may be meant
        if (auto const& anchor = index_.anchors()[i]; anchor.dynamic && anchor.name == target->dynamic)
            PFAR_CHECK(node(tree_.at(anchor.place)));
    add_list(op, {to, name(target->dynamic)});
    return {};
}

/// dependentSchemas, dependentRequired, and draft-07's mixture of both.
Result<void> Compiler::dependencies(Op /*op*/, Value value) {
    if (!value.is(Kind::object)) return wrong(value, "an object");
    std::vector<std::uint32_t> schemas;
    for (auto const [key, inner] : value.members()) {
        auto const trigger = name(key.text());
        if (inner.is(Kind::array)) {
            PFAR_TRY(names, names_of(inner));
            names.insert(names.begin(), trigger);
            add_list(Op::dependent_required, names);
        } else {
            PFAR_TRY(to, node(inner));
            schemas.insert(schemas.end(), {trigger, to});
        }
    }
    if (!schemas.empty()) add_list(Op::dependent_schemas, schemas);
    return {};
}

Result<void> Compiler::condition(Op op, Value value) {
    PFAR_TRY(met, node(value));
    PFAR_TRY(then, sibling("then"));
    PFAR_TRY(otherwise, sibling("else"));
    add_list(op, {met, then, otherwise});
    return {};
}

Result<void> Compiler::contains(Op op, Value value) {
    PFAR_TRY(inner, node(value));
    std::uint32_t bounds[] = {1, none};
    if (dialect_ != Dialect::draft7) {
        auto const before = rules_.size();
        for (int i = 0; i < 2; ++i)
            if (auto const said = schema_.find(i == 0 ? "minContains" : "maxContains")) {
                PFAR_CHECK(count(op, *said));
                bounds[i] = rules_.back().about;
            }
        rules_.resize(before);
    }
    add_list(op, {inner, bounds[0], bounds[1]});
    return {};
}

/// prefixItems and items; or items that is a list, and additionalItems: draft-07 says it so, and schemas that do not say what they are.
Result<void> Compiler::items(Op op, Value /*value*/) {
    if (has(op)) return {};
    auto const items = schema_.find("items");
    bool const old = items && items->is(Kind::array);
    auto const prefix = old ? items : dialect_ == Dialect::draft7 ? std::nullopt : schema_.find("prefixItems");
    PFAR_TRY(rest, sibling(old ? "additionalItems" : "items"));
    std::vector<std::uint32_t> list{rest};
    if (prefix) {
        PFAR_TRY(nodes, nodes_of(*prefix));
        list.insert(list.end(), nodes.begin(), nodes.end());
    }
    add_list(op, list);
    return {};
}

Result<void> Compiler::members(Op op, Value /*value*/) {
    if (has(op)) return {};
    auto const properties = schema_.find("properties"), patterns = schema_.find("patternProperties");
    for (auto const& map : {properties, patterns})
        if (map && !map->is(Kind::object)) return wrong(*map, "an object");
    PFAR_TRY(rest, sibling("additionalProperties"));
    std::vector<std::pair<std::string, NodeId>> named;
    if (properties)
        for (auto const [key, value] : properties->members()) {
            PFAR_TRY(inner, node(value));
            named.emplace_back(key.text(), inner);
        }
    std::sort(named.begin(), named.end());
    std::vector<std::uint32_t> list{static_cast<std::uint32_t>(named.size()), rest};
    for (auto const& [text, inner] : named) list.insert(list.end(), {name(text), inner});
    if (patterns)
        for (auto const [key, value] : patterns->members()) {
            auto const number = pattern_number(key.text());
            PFAR_TRY(inner, node(value));
            list.insert(list.end(), {number, inner});
        }
    add_list(op, list);
    return {};
}

Result<NodeId> Compiler::node(Value schema) {
    if (!schema.is(Kind::object) && !schema.is(Kind::boolean)) return wrong(schema, "a schema");
    auto& out = node_at_[schema.place()];
    if (out != none) return out;
    if (places_.size() == most_nodes)
        return fail(Errc::invalid, fmt::format("it has more than {} schemas in it", most_nodes));
    out = static_cast<NodeId>(places_.size());
    places_.push_back(schema.place());
    out_->nodes.push_back({});
    return out;
}

Result<NodeId> Compiler::sibling(std::string_view keyword) {
    auto const found = schema_.find(keyword);
    return found ? node(*found) : Result<NodeId>(none);
}

Result<std::vector<std::uint32_t>> Compiler::nodes_of(Value array) {
    if (!array.is(Kind::array)) return wrong(array, "an array");
    std::vector<std::uint32_t> out;
    for (auto const element : array.elements()) {
        PFAR_TRY(inner, node(element));
        out.push_back(inner);
    }
    return out;
}

Result<std::vector<std::uint32_t>> Compiler::names_of(Value array) {
    if (!array.is(Kind::array)) return wrong(array, "an array of strings");
    std::vector<std::uint32_t> out;
    for (auto const element : array.elements()) {
        if (!element.is(Kind::string)) return wrong(element, "a string");
        out.push_back(name(element.text()));
    }
    return out;
}

std::uint32_t Compiler::name(std::string_view text) {
    auto const number = static_cast<std::uint32_t>(out_->names.size() - 1);
    auto const [at, is_new] = name_numbers_.emplace(text, number);
    if (!is_new) return at->second;
    out_->name_text += text;
    out_->names.push_back(static_cast<std::uint32_t>(out_->name_text.size()));
    return number;
}

void Compiler::add_list(Op op, std::vector<std::uint32_t> const& list) {
    add(op, static_cast<std::uint32_t>(out_->lists.size()));
    out_->lists.push_back(static_cast<std::uint32_t>(list.size()));
    out_->lists.insert(out_->lists.end(), list.begin(), list.end());
}

void Compiler::note(std::string what) {
    auto& notes = out_->unchecked;
    if (notes.size() < most_notes && std::find(notes.begin(), notes.end(), what) == notes.end())
        notes.push_back(std::move(what));
}

bool Compiler::has(Op op) const {
    return std::any_of(rules_.begin(), rules_.end(), [&](Rule rule) { return rule.op == op; });
}

Error Compiler::wrong(Value value, std::string_view expected) const {
    return fail(Errc::invalid,
                fmt::format("{}: expected {}, found {}", where(tree_, value.place()), expected, kind_name(value)));
}

} // namespace pfar::pipeline::schemas
