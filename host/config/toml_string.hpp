// Where a string of a TOML text ends: what whoever looks at the text itself has to know first.
#pragma once

#include <cstddef>
#include <string_view>

namespace pfar::config {

/// The last character of the string, in whichever of the four kinds of quotes, that begins at `at`. Beyond the text if it is not closed. Pure.
std::size_t string_end(std::string_view text, std::size_t at);

} // namespace pfar::config
