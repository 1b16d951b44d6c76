// What libsodium does for the vault: random keys, keys from keys, sealed bytes.
//
// Keys and plain bytes exist only in a Secret. What is bound to sealed bytes is not in them and has to be the same to
// open them.
#pragma once

#include <pfar/result.hpp>
#include <pfar/secret.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pfar::vault_file {

inline constexpr std::size_t key_size = 32, nonce_size = 24, tag_size = 16, checksum_size = 32;

/// Once before anything else here; again costs nothing. Errc::internal without a source of random numbers.
Result<void> start_sodium();

/// For what may be seen: nonces, salts, names.
std::string random_bytes(std::size_t size);
Secret random_key();

enum class Purpose : std::uint64_t { index = 1, records = 2, uses = 3 };
/// Another key for each purpose.
Secret derive(Secret const& key, Purpose purpose);
/// A key that depends on `salt` too.
Secret derive_salted(Secret const& key, std::string_view salt);

/// Nonce, ciphertext, tag (XChaCha20-Poly1305).
std::string seal(Secret const& key, std::string_view bound, std::string_view plain);
/// Nothing unless it is what seal() made with the same key and the same `bound`.
std::optional<Secret> unseal(Secret const& key, std::string_view bound, std::string_view sealed);

/// Without a key: it tells damage, not malice.
std::string checksum(std::string_view bytes);
/// Takes the same time wherever the first difference is.
bool same_bytes(std::string_view a, std::string_view b);

} // namespace pfar::vault_file
