// Whether JSON values are the same: numbers by what they are worth, objects in any order.
#pragma once

#include "pipeline/schema_budget.hpp"
#include "pipeline/schema_tree.hpp"

namespace pfar::pipeline::schemas {

/// False once the budget is spent.
bool equal(Value a, Value b, Budget& budget);

/// Two elements of the array are equal. By hashes; what has the same hash is compared.
bool has_twins(Value array, Budget& budget);

} // namespace pfar::pipeline::schemas
