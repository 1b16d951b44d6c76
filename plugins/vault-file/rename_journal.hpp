// Renaming an entry changes two files; the journal makes it one step.
//
// Once `renaming` is on disk the rename has happened, and whoever opens the vault next carries it out. Before that, it has not.
#pragma once

#include "private_files.hpp"

namespace pfar::vault_file {

struct Renaming {
    std::string from, to; // names of entry files
};

/// The caller holds the lock. On an error nothing has happened.
Result<void> begin_rename(Dir const& vault, Dir const& entries, Renaming const& renaming, std::string_view sealed);
/// Does what a journal says, if there is one; the caller holds the lock.
Result<void> finish_rename(Dir const& vault, Dir const& entries);
bool rename_pending(Dir const& vault);

} // namespace pfar::vault_file
