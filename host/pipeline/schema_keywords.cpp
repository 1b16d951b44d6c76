#include "pipeline/schema_keywords.hpp"

#include <algorithm>
#include <array>

namespace pfar::pipeline::schemas {
namespace {

enum class Holds { one, list, map };
struct Applicator {
    std::string_view keyword;
    Holds holds; // `one` may be a list too: draft-07's items
    bool draft7;
};

constexpr Applicator applicators[] = {
    {"$defs", Holds::map, true},
    {"additionalItems", Holds::one, true},
    {"additionalProperties", Holds::one, true},
    {"allOf", Holds::list, true},
    {"anyOf", Holds::list, true},
    {"contains", Holds::one, true},
    {"contentSchema", Holds::one, false},
    {"definitions", Holds::map, true},
    {"dependencies", Holds::map, true},
    {"dependentSchemas", Holds::map, false},
    {"else", Holds::one, true},
    {"if", Holds::one, true},
    {"items", Holds::one, true},
    {"not", Holds::one, true},
    {"oneOf", Holds::list, true},
    {"patternProperties", Holds::map, true},
    {"prefixItems", Holds::list, false},
    {"properties", Holds::map, true},
    {"propertyNames", Holds::one, true},
    {"then", Holds::one, true},
    {"unevaluatedItems", Holds::one, false},
    {"unevaluatedProperties", Holds::one, false},
};

Applicator const* applicator(std::string_view keyword, Dialect dialect) {
    auto const* const found = std::lower_bound(std::begin(applicators), std::end(applicators), keyword,
                                               [](Applicator const& a, std::string_view b) { return a.keyword < b; });
    bool const known = found != std::end(applicators) && found->keyword == keyword;
    return known && (found->draft7 || dialect != Dialect::draft7) ? found : nullptr;
}

bool hear_below(Applicator const& applicator, Value value, std::function<bool(Value)> const& hear) {
    auto const hear_schema = [&](Value inner) {
        return !(inner.is(Kind::object) || inner.is(Kind::boolean)) || hear(inner);
    };
    if (value.is(Kind::array) && applicator.holds != Holds::map) {
        for (auto const inner : value.elements())
            if (!hear_schema(inner)) return false;
    } else if (value.is(Kind::object) && applicator.holds == Holds::map) {
        for (auto const [key, inner] : value.members())
            if (!hear_schema(inner)) return false;
    } else if (applicator.holds == Holds::one) {
        return hear_schema(value);
    }
    return true;
}

} // namespace

Dialect dialect_of(Value schema) {
    auto const said = schema.find("$schema");
    auto const text = said && said->is(Kind::string) ? said->text() : "";
    for (auto const* const draft : {"draft-07", "draft-06", "draft-04", "draft-03"})
        if (text.find(draft) != std::string::npos) return Dialect::draft7;
    return Dialect::draft2020;
}

void each_subschema(Value schema, Dialect dialect, std::function<bool(Value)> const& hear) {
    std::string kept;
    for (auto const [key, value] : schema.members()) {
        auto const* const known = applicator(key.string(kept), dialect);
        if (known != nullptr && !hear_below(*known, value, hear)) return;
    }
}

} // namespace pfar::pipeline::schemas
