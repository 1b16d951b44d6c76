// NewServer: a server that somebody wants to add, settled as far as that goes without changing anything.
//
// From a client's configuration or from options: the command is looked up, values that look secret are taken apart from those that do not, and what pfar
// does not run is refused.
#pragma once

#include "config/client_config.hpp"
#include "config/places.hpp"

#include <optional>

namespace pfar::house {

struct NewSecret {
    std::string variable, entry;
    std::optional<Secret> value; // none: not known yet
};

struct NewServer {
    config::ServerSpec spec;
    std::vector<NewSecret> secrets;
    std::vector<std::string> notes{}; // sentences for whoever adds it
};

/// What is the same for all servers of one command.
struct Adding {
    config::Places const& places;
    std::string search_path;                      // PATH of the caller
    std::optional<std::filesystem::path> project; // its root, if the file goes there
    bool from_argv = false;                       // everybody can see it: no secrets
    bool short_allowed = false;                   // values under 8 bytes
};

/// `spec` has what the options say. Errors name the server and the remedy, and never a value. [main thread, may block]
Result<NewServer> settle_server(config::ClientServer wanted, config::ServerSpec spec, Adding const& adding);

/// notion, NOTION_TOKEN -> notion_token; github, API_KEY -> github_api_key
std::string entry_for(std::string const& server, std::string const& variable);

/// Errc::invalid for one that is empty, too long, or (unless allowed) too short to be redacted.
Result<void> check_value(std::string const& variable, Secret const& value, bool short_allowed);

} // namespace pfar::house
