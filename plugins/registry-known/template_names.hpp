// What a template is called, also one that cannot be used: a name of it must not be answered with something else.
#pragma once

#include <pfar/server_registry.hpp>

#include <string_view>
#include <vector>

namespace pfar::registry_known {

/// Its name, then its aliases.
std::vector<std::string> names_of(KnownServer const& server);

/// Of text that is no TOML, by the look of it: rather one too many than one too few.
std::vector<std::string> names_by_look(std::string_view text);

} // namespace pfar::registry_known
