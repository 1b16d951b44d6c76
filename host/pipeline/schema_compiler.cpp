#include "pipeline/schema_compiler.hpp"

#include "pipeline/schema_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::pipeline::schemas {

struct Compiler::Keyword {
    std::string_view name;
    Op op;
    Handler compile;
    bool draft7 = true;
};

Compiler::Keyword const* Compiler::keyword(std::string_view name) {
    using C = Compiler;
    static constexpr Keyword table[] = {
        {"$dynamicRef", Op::dynamic_ref, &C::reference, false},
        {"$recursiveRef", Op::unknown, &C::recursive_reference, false},
        {"$ref", Op::ref, &C::reference},
        {"additionalProperties", Op::members, &C::members},
        {"allOf", Op::all_of, &C::schema_list},
        {"anyOf", Op::any_of, &C::schema_list},
        {"const", Op::constant, &C::literal},
        {"contains", Op::contains, &C::contains},
        {"dependencies", Op::dependent_schemas, &C::dependencies},
        {"dependentRequired", Op::dependent_required, &C::dependencies, false},
        {"dependentSchemas", Op::dependent_schemas, &C::dependencies, false},
        {"enum", Op::enumeration, &C::enumeration},
        {"exclusiveMaximum", Op::exclusive_maximum, &C::number},
        {"exclusiveMinimum", Op::exclusive_minimum, &C::number},
        {"format", Op::unknown, &C::format},
        {"if", Op::condition, &C::condition},
        {"items", Op::items, &C::items},
        {"maxItems", Op::max_items, &C::count},
        {"maxLength", Op::max_length, &C::count},
        {"maxProperties", Op::max_properties, &C::count},
        {"maximum", Op::maximum, &C::number},
        {"minItems", Op::min_items, &C::count},
        {"minLength", Op::min_length, &C::count},
        {"minProperties", Op::min_properties, &C::count},
        {"minimum", Op::minimum, &C::number},
        {"multipleOf", Op::multiple_of, &C::multiple_of},
        {"not", Op::negation, &C::schema},
        {"oneOf", Op::one_of, &C::schema_list},
        {"pattern", Op::pattern, &C::pattern},
        {"patternProperties", Op::members, &C::members},
        {"prefixItems", Op::items, &C::items, false},
        {"properties", Op::members, &C::members},
        {"propertyNames", Op::property_names, &C::schema},
        {"required", Op::required, &C::required},
        {"type", Op::type, &C::type},
        {"unevaluatedItems", Op::unevaluated_items, &C::schema, false},
        {"unevaluatedProperties", Op::unevaluated_properties, &C::schema, false},
        {"uniqueItems", Op::unique_items, &C::unique_items},
    };
    auto const* const found = std::lower_bound(std::begin(table), std::end(table), name,
                                               [](Keyword const& a, std::string_view b) { return a.name < b; });
    return found != std::end(table) && found->name == name ? found : nullptr;
}

Compiler::Compiler(Tree const& tree, Index index, Dialect dialect)
    : tree_(tree), index_(std::move(index)), dialect_(dialect), node_at_(tree.size(), none), schema_(tree.root()) {
    out_->names.push_back(0);
}

Result<std::unique_ptr<Program const>> Compiler::run() {
    PFAR_CHECK(node(tree_.root()));
    for (std::size_t next = 0; next < places_.size(); ++next) {
        PFAR_CHECK(node_rules(tree_.at(places_[next])));
        std::stable_sort(rules_.begin(), rules_.end(), [](Rule a, Rule b) { return a.op < b.op; });
        out_->nodes[next] = {static_cast<std::uint32_t>(out_->rules.size()), static_cast<std::uint32_t>(rules_.size()),
                             index_.resource_of(places_[next])};
        out_->rules.insert(out_->rules.end(), rules_.begin(), rules_.end());
    }
    add_dynamic_anchors();
    PFAR_CHECK(place_literals());
    PFAR_CHECK(refuse_circles(*out_, places_, tree_));
    shrink();
    return std::unique_ptr<Program const>(std::move(out_));
}

Result<void> Compiler::node_rules(Value schema) {
    rules_.clear();
    schema_ = schema;
    if (schema.is(Kind::boolean)) {
        if (!schema.is_true()) add(Op::never, 0);
        return {};
    }
    if (auto const ref = schema.find("$ref"); ref && dialect_ == Dialect::draft7)
        return reference(Op::ref, *ref); // what stands beside it does not count
    std::string kept;
    for (auto const [key, value] : schema.members()) {
        auto const* const known = keyword(key.string(kept));
        if (known == nullptr || (dialect_ == Dialect::draft7 && !known->draft7)) continue;
        PFAR_CHECK((this->*known->compile)(known->op, value));
    }
    return {};
}

void Compiler::add_dynamic_anchors() {
    for (auto const& anchor : index_.anchors())
        if (anchor.dynamic && node_at_[anchor.place] != none)
            out_->anchors.push_back({anchor.resource, name(anchor.name), node_at_[anchor.place]});
}

/// They are copied, so that the schema's text, which is mostly descriptions, need not be kept.
Result<void> Compiler::place_literals() {
    out_->literal_text = "[";
    for (auto const value : literals_) {
        auto const* const quote = value.is(Kind::string) ? "\"" : "";
        out_->literal_text +=
            fmt::format("{}{}{}{}", out_->literal_text.size() > 1 ? "," : "", quote, value.written(), quote);
    }
    out_->literal_text += "]";
    PFAR_TRY(literals, Tree::parse(out_->literal_text, Duplicates::allow));
    out_->literals = std::move(literals);
    std::vector<Place> places;
    for (auto const value : out_->literals.root().elements()) places.push_back(value.place());
    for (auto& rule : out_->rules)
        if (rule.op >= Op::constant && rule.op <= Op::multiple_of) rule.about = places[rule.about];
    return {};
}

void Compiler::shrink() {
    out_->nodes.shrink_to_fit();
    out_->rules.shrink_to_fit();
    out_->lists.shrink_to_fit();
    out_->names.shrink_to_fit();
    out_->name_text.shrink_to_fit();
    out_->patterns.shrink_to_fit();
    out_->unchecked.shrink_to_fit();
}

Result<std::unique_ptr<Program const>> compile(std::string_view json) {
    if (json.size() > most_schema_bytes)
        return fail(Errc::invalid, fmt::format("it is larger than {} KiB", most_schema_bytes / 1024));
    PFAR_TRY(tree, Tree::parse(json, Duplicates::refuse));
    auto const dialect = dialect_of(tree.root());
    PFAR_TRY(index, Index::make(tree, dialect));
    return Compiler(tree, std::move(index), dialect).run();
}

} // namespace pfar::pipeline::schemas
