// Where within a schema other schemas stand. A property that is called "items", or an enum that holds one, is no schema.
#pragma once

#include "pipeline/schema_tree.hpp"

#include <functional>

namespace pfar::pipeline::schemas {

enum class Dialect { draft7, draft2020 };

/// Draft-07, and what came before it, by "$schema"; 2020-12 if it says nothing, or something unknown.
Dialect dialect_of(Value schema);

/// Hears of each, not of those within them; false ends it.
void each_subschema(Value schema, Dialect dialect, std::function<bool(Value)> const& hear);

} // namespace pfar::pipeline::schemas
