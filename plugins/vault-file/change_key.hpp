// A new key for a vault: everything is sealed anew, and the one step that counts is the replacing of the vault file.
//
// Before it the new key is laid down beside the old one; after it the old one goes. Killed anywhere, the vault opens
// with the one or the other.
#pragma once

#include "open_vault.hpp"

namespace pfar::vault_file {

/// What is left to say after a change that has happened: empty, or a sentence for the log.
using Remark = std::string;

/// `vault` is open to write. Errc::io, naming it, if an entry is damaged. On an error the old key opens the vault, or
/// (if so said) the new one.
Result<Remark> change_key(KeyHolder& keys, OpenVault vault, NewKey key);

} // namespace pfar::vault_file
