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

    static Keyword const table[];
};

// By name.
Compiler::Keyword const Compiler::Keyword::table[] = {
    {"$dynamicRef", Op::dynamic_ref, &Compiler::reference, false},
    {"$recursiveRef", Op::unknown, &Compiler::recursive_reference, false},
    {"$ref", Op::ref, &Compiler::reference},
    {"additionalProperties", Op::members, &Compiler::members},
    {"allOf", Op::all_of, &Compiler::schema_list},
    {"anyOf", Op::any_of, &Compiler::schema_list},
    {"const", Op::constant, &Compiler::literal},
    {"contains", Op::contains, &Compiler::contains},
    {"dependencies", Op::dependent_schemas, &Compiler::dependencies},
    {"dependentRequired", Op::dependent_required, &Compiler::dependencies, false},
    {"dependentSchemas", Op::dependent_schemas, &Compiler::dependencies, false},
    {"enum", Op::enumeration, &Compiler::enumeration},
    {"exclusiveMaximum", Op::exclusive_maximum, &Compiler::number},
    {"exclusiveMinimum", Op::exclusive_minimum, &Compiler::number},
    {"format", Op::unknown, &Compiler::format},
    {"if", Op::condition, &Compiler::condition},
    {"items", Op::items, &Compiler::items},
    {"maxItems", Op::max_items, &Compiler::count},
    {"maxLength", Op::max_length, &Compiler::count},
    {"maxProperties", Op::max_properties, &Compiler::count},
    {"maximum", Op::maximum, &Compiler::number},
    {"minItems", Op::min_items, &Compiler::count},
    {"minLength", Op::min_length, &Compiler::count},
    {"minProperties", Op::min_properties, &Compiler::count},
    {"minimum", Op::minimum, &Compiler::number},
    {"multipleOf", Op::multiple_of, &Compiler::multiple_of},
    {"not", Op::negation, &Compiler::schema},
    {"oneOf", Op::one_of, &Compiler::schema_list},
    {"pattern", Op::pattern, &Compiler::pattern},
    {"patternProperties", Op::members, &Compiler::members},
    {"prefixItems", Op::items, &Compiler::items, false},
    {"properties", Op::members, &Compiler::members},
    {"propertyNames", Op::property_names, &Compiler::schema},
    {"required", Op::required, &Compiler::required},
    {"type", Op::type, &Compiler::type},
    {"unevaluatedItems", Op::unevaluated_items, &Compiler::schema, false},
    {"unevaluatedProperties", Op::unevaluated_properties, &Compiler::schema, false},
    {"uniqueItems", Op::unique_items, &Compiler::unique_items},
};

Compiler::Keyword const* Compiler::keyword(std::string_view name) {
    auto const* const found = std::lower_bound(std::begin(Keyword::table), std::end(Keyword::table), name,
                                               [](Keyword const& a, std::string_view b) { return a.name < b; });
    return found != std::end(Keyword::table) && found->name == name ? found : nullptr;
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
    out_->literal_text += '[';
    for (auto const value : literals_) {
        auto const* const quote = value.is(Kind::string) ? "\"" : "";
        out_->literal_text +=
            fmt::format("{}{}{}{}", out_->literal_text.size() > 1 ? "," : "", quote, value.written(), quote);
    }
    out_->literal_text += ']';
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
