// The vault opened for one operation: directories checked, key loaded, an interrupted rename carried out.
//
// Nothing stays open or in memory between operations, so several processes can use one vault.
#pragma once

#include "private_files.hpp"
#include "sealed_entry.hpp"

#include <optional>

namespace pfar::vault_file {

struct Places {
    std::filesystem::path root, key_file;
};

enum class Use { read, write };

struct OpenVault {
    Fd lock; // held if it was opened to write
    Dir dir, entries;
    Keys keys;
};

/// Nothing if the vault was never used: no directory, or neither key nor entry. Makes nothing but the lock file.
Result<std::optional<OpenVault>> open_vault(Places const& places, Use use);
/// Makes what is missing, the key last. Refuses to make a key beside entries that another one has sealed.
Result<OpenVault> make_vault(Places const& places);

/// Names of the files that look like entries.
Result<std::vector<std::string>> entry_files(Dir const& entries);
/// Errc::io if there are entries and all of them were sealed with another key.
Result<void> check_key(OpenVault const& vault);

} // namespace pfar::vault_file
