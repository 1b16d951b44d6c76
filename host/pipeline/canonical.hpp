// The same JSON in whatever spelling is the same bytes here: a call that a model repeats comes in other words.
#pragma once

#include <string>
#include <string_view>

namespace pfar::pipeline {

/// Of the params of a request, without `_meta`, which clients make anew for each: members in the order of their names, strings decoded, numbers as
/// they are written. For digests, not for people. What is no object stays as it is. Pure.
std::string canonical_params(std::string_view params);

} // namespace pfar::pipeline
