// When each entry was last used: a sealed file of its own, because it changes with every use and nothing depends on it.
//
// Best effort: it is not synced, and whatever cannot be read was never used.
#pragma once

#include "contents.hpp"
#include "private_files.hpp"

#include <map>

namespace pfar::vault_file {

using UseTimes = std::map<std::string, Time>;

UseTimes read_uses(Dir const& dir, Contents const& contents);
/// The caller holds the lock.
void write_uses(Dir const& dir, Contents const& contents, UseTimes const& uses);
/// Now. Takes the lock, or does nothing.
void note_use(Dir const& dir, Contents const& contents, std::string const& name);

} // namespace pfar::vault_file
