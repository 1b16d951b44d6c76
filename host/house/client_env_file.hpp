// The .env file that a client's entry names beside env: VS Code and Cursor give its values to the server, so it needs them here too.
#pragma once

#include "config/client_config.hpp"
#include "config/dotenv.hpp"
#include "config/places.hpp"
#include "flows/talk.hpp"

#include <optional>
#include <set>

namespace pfar::house {

struct EnvFile {
    std::filesystem::path path;
    config::Dotenv content; // at least one value
};

/// `name` may be relative to places.directory, or begin with ~/; what its client fills in has been filled in. Errors say why its values cannot be
/// had, in the form "PATH could not be ...". [may block]
Result<EnvFile> read_env_file(std::string const& name, config::Places const& places);

/// Puts them to its env, which wins, and says so; or says why not. [may block]
void take_env_file(config::ClientServer& wanted, config::Places const& places, flows::Talk& talk);

/// The names of all variables that the server has from its client, as far as that can be known without asking anybody. [main thread, may block]
std::set<std::string> client_variables(config::ClientServer const& server, config::Places const& places,
                                       std::optional<std::filesystem::path> const& project);

} // namespace pfar::house
