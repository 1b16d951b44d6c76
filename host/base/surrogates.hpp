// Halves of surrogate pairs in JSON ("\ud800"): allowed there, passed on as they are, and refused by everything that reads strings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pfar::base {

/// The same with U+FFFD for each half that has no other; none if there is nothing to mend. `json` is valid JSON, or a part of it. Pure.
std::optional<std::string> with_whole_pairs(std::string_view json);

} // namespace pfar::base
