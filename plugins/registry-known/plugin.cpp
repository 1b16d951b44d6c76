// The plugin's entry and nothing else.
#include "known_servers.hpp"

PFAR_PLUGIN(pfar::registry_known::KnownServers, "known", "0.1.0");
