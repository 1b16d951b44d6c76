// The vault file's header: how its key is had, and the data key that everything else is sealed with, itself sealed with
// that key.
//
// It stands at both ends of the file. A checksum tells a damaged header from a wrong key.
#pragma once

#include "sealing.hpp"

namespace pfar::vault_file {

enum class KeyKind : std::uint32_t { file = 1, passphrase = 2, command = 3 };

struct Header {
    KeyKind kind = KeyKind::file;
    std::uint32_t passes = 0, kibibytes = 0; // Argon2id; none for a key file
    std::string salt, vault_id;              // 16 bytes each, new with every key
    std::string wrapped;                     // the data key, sealed
    std::uint32_t index_size = 0;            // of each of the two

    bool operator==(Header const&) const = default;
};

inline constexpr std::size_t header_size = 160, wrapped_size = nonce_size + key_size + tag_size;

/// Everything but the data key and the index.
Header new_header(KeyKind kind);

void wrap(Header& header, Secret const& key, Secret const& data_key);
/// Nothing if it is the wrong key.
std::optional<Secret> unwrap(Header const& header, Secret const& key);

std::string to_bytes(Header const& header);
/// Nothing if it is damaged or makes no sense. What it says has been bounded, but anybody may have said it.
std::optional<Header> header_from(std::string_view bytes);
/// Whether it begins like a vault of another version of the format.
bool is_other_version(std::string_view bytes);

/// What is sealed in this vault is bound to this: magic, version, vault and `what` it is.
std::string bound_to(Header const& header, std::string_view what);

} // namespace pfar::vault_file
