// The key in a file of its own: 32 random bytes, mode 0600.
//
// A new key lies beside it as KEYFILE.new before the vault is sealed with it, and takes its place afterwards. So one of
// the two always opens the vault, wherever a change of key was cut short.
#pragma once

#include "private_files.hpp"

#include <pfar/secret.hpp>

#include <optional>

namespace pfar::vault_file {

/// KEYFILE.new
std::filesystem::path next_key_of(std::filesystem::path const& key_file);

/// Nothing if there is no such file. Errc::refused if others can touch it or its directory, Errc::io if it is no key.
Result<std::optional<Secret>> load_key(std::filesystem::path const& path);

/// The first key, whole or not at all; if somebody else was faster, theirs. The caller holds the lock, and there is no
/// vault yet.
Result<Secret> make_key(std::filesystem::path const& key_file);

/// Lays the next key beside the present one, on the disk itself. The caller holds the lock, and KEYFILE.new is not
/// needed.
Result<void> stage_key(std::filesystem::path const& key_file, Secret const& key);
/// KEYFILE.new takes the place of KEYFILE. The caller holds the lock.
Result<void> settle_key(std::filesystem::path const& key_file);
/// Removes a KEYFILE.new that nobody needs, if there is one and it can be done.
void drop_next_key(std::filesystem::path const& key_file);
/// Removes KEYFILE, which need not be there.
Result<void> remove_key(std::filesystem::path const& key_file);

} // namespace pfar::vault_file
