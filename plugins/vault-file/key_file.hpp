// The master key in a file of its own: 32 random bytes, mode 0600.
#pragma once

#include <pfar/result.hpp>
#include <pfar/secret.hpp>

#include <filesystem>
#include <optional>

namespace pfar::vault_file {

/// Nothing if there is no such file. Errc::refused if others can touch it or its directory, Errc::io if it is no key.
Result<std::optional<Secret>> load_key(std::filesystem::path const& path);

/// Makes the key, whole or not at all; if somebody else was faster, theirs.
Result<Secret> make_key(std::filesystem::path const& path);

} // namespace pfar::vault_file
