// The two tools as an agent sees them.
#pragma once

#include "fetch/settings.hpp"

#include <string>

namespace pfar::fetch {

/// The result of tools/list, one line of JSON.
std::string tools_text(Settings const& settings);
/// The result of initialize for a client that speaks `revision`.
std::string greeting_text(Settings const& settings, std::string_view revision);

} // namespace pfar::fetch
