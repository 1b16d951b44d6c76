// What `pfar add` does: server files and the credentials they name, all or nothing.
#pragma once

#include "house/new_server.hpp"
#include "house/rewrite.hpp"
#include "house/vault.hpp"

#include <functional>

namespace pfar::house {

struct AddWish {
    std::vector<NewServer> servers;
    std::optional<std::filesystem::path> project; // the root whose .pfar/mcp they go to; none: $PFAR_HOME/mcp
    bool force = false;                           // take the place of a file that is there; it is kept as NAME.toml.bak
    bool replace = false;                         // take the place of a credential that is there
};

struct Prepared {
    config::FoundFile found;
    std::string text;
    std::vector<std::string> warnings;             // of its reader
    std::optional<config::SurveyedFile> replaced;  // what is there now
    std::optional<std::filesystem::path> shadows;  // of the same name, and not used any more
    std::optional<std::filesystem::path> shadowed; // by this one, which comes first
};

/// The files as they would be, each read by the reader of server files. Changes nothing. Errc::conflict for a name that is taken. [may block]
Result<std::vector<Prepared>> prepare_servers(House const& house, AddWish const& wish);

/// By entry: what became of it.
enum class Kept : std::uint8_t { now, before, missing, unknown };

struct Added {
    std::vector<Prepared> files;
    std::map<std::string, Kept> entries;
    std::vector<std::string> set; // entries whose value is new
};

/// `vault` is asked only if a value is to be kept, or for nothing that would have to ask a person. A value that the vault has already is used; another
/// one under the same name is Errc::conflict unless replaced. On an error everything is as it was. [main thread, may block]
Result<Added> add_servers(House const& house, AddWish const& wish, std::function<Result<Vault*>()> const& vault);

/// The project's root for --project: the one that there is, else the directory that one stands in. Errc::refused for the owner's home. [may block]
Result<std::filesystem::path> root_for_project(config::Places const& places);

} // namespace pfar::house
