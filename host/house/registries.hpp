// What all registries together know of servers.
#pragma once

#include "house/house.hpp"

#include <pfar/server_registry.hpp>

namespace pfar::house {

/// All of them; what has a mistake is left out. [main thread, may block]
Result<std::vector<KnownServer>> known_servers(House const& house);

/// What a search for these words finds, the best first. [main thread, may block]
Result<std::vector<KnownServer>> search_known(House const& house, std::string const& words);

/// Of all servers that can be connected. [main thread, may block]
std::vector<std::string> known_names(House const& house, bool not_yet_too = false);

/// What of the registries cannot be had, and why: a template with a mistake, or all of them. [main thread, may block]
std::vector<Error> registry_troubles(House const& house);

/// By name or alias. Errc::not_found if none knows it. [main thread, may block]
Result<KnownServer> find_known(House const& house, std::string const& name);

/// Those that are this package, of whatever version. [main thread, may block]
std::vector<KnownServer> known_of(House const& house, Package const& package);

} // namespace pfar::house
