// Takes a server over from an agent's configuration: what fetched a package at every start is installed once, pinned; what was a plain secret goes into
// the vault.
#pragma once

#include "config/client_config.hpp"
#include "config/client_files.hpp"
#include "house/converse.hpp"

namespace pfar::house {

struct ImportWish {
    config::ClientServer wanted;                  // as its client starts it
    std::string name;                             // near to the one it will have
    std::optional<std::filesystem::path> project; // whose file it was in
    std::vector<config::ClientInput> inputs{};    // what its client would ask for
};

struct Imported {
    std::string name;        // that it has now; empty: it did not work, which was told, and undone
    bool cancelled = false;  // by the person
    bool had_secret = false; // in its client's file, plainly
};
/// [main thread, may block]
Result<Imported> import_server(FlowSetting const& setting, ImportWish wish);

} // namespace pfar::house
