// The ${NAME}s of a text. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::registry_known {

/// Their names in order; none at all if a ${ is not closed.
std::optional<std::vector<std::string>> placeholders(std::string_view text);

/// `text` with `stand_in` for each of them.
std::string filled(std::string_view text, std::string_view stand_in);

} // namespace pfar::registry_known
