// The kernel's keyring of this user: where the key of an unlocked vault waits for other processes, for a set time.
//
// By raw system calls. A kernel or container without keyrings is no error of the vault's: it is then unlocked for one
// process only.
#pragma once

#include "numbers.hpp"

#include <pfar/result.hpp>
#include <pfar/secret.hpp>

#include <optional>

namespace pfar::vault_file {

struct HeldKey {
    Secret key;
    Time until;
};

/// Nothing if there is none, or none any more.
std::optional<HeldKey> find_in_keyring(std::string const& vault_id);
/// Replaces the one of the same vault. Errc::unsupported with a phrase: "the kernel keyring cannot be used: Function
/// not implemented".
Result<void> put_in_keyring(std::string const& vault_id, Secret const& key, std::chrono::minutes time);
/// It need not be there.
Result<void> drop_from_keyring(std::string const& vault_id);

} // namespace pfar::vault_file
