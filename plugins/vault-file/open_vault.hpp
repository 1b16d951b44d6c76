// The vault opened for one operation: directory and file checked, key had, contents decrypted as far as the index.
//
// Nothing but keys stays between operations, so several processes can use one vault. Readers take no lock: the file is
// replaced as a whole. Only if its key does not fit do they look again under the lock, because a change of key may have
// come between the two.
#pragma once

#include "contents.hpp"
#include "key_holder.hpp"
#include "private_files.hpp"

namespace pfar::vault_file {

/// The file as it lies there.
struct Found {
    Dir dir;
    std::string bytes;
    Outside outside; // with at least one header

    [[nodiscard]] Header const& header() const { return outside.headers.front(); }
};

struct OpenVault {
    Dir dir;
    Contents contents;
    bool by_next = false; // KEYFILE.new opened it and could not take KEYFILE's place
    Fd lock{};            // held if it was opened to write
};

/// Nothing if the vault was never used. Errc::io, and nothing may write over it, if both headers are damaged. Makes
/// nothing.
Result<std::optional<Found>> find_vault(Options const& options);

/// Nothing if the vault was never used.
Result<std::optional<OpenVault>> open_to_read(KeyHolder& keys);
/// The same, with the lock; and what an interrupted change of key left is tidied up.
Result<std::optional<OpenVault>> open_to_write(KeyHolder& keys);
/// The same; a vault that was never used is begun. Errc::locked if it needs a passphrase first. It is on disk after
/// save().
Result<OpenVault> open_or_begin(KeyHolder& keys);
/// Begins it with that key, which is of another kind than file; Errc::conflict if somebody else was faster.
Result<OpenVault> begin_with(KeyHolder& keys, NewKey const& key);

/// Survives a power cut when this returns. On an error the old file is there, or (if so said) the new one.
/// Errc::invalid if there is too much.
Result<void> save(OpenVault const& vault);

} // namespace pfar::vault_file
