// Thin over libsodium: it speaks of unsigned char and lengths, the vault of Secret and string_view.
#include "sealing.hpp"

#include <sodium.h>

#include <cassert>

namespace pfar::vault_file {

static_assert(key_size == crypto_aead_xchacha20poly1305_ietf_KEYBYTES && key_size == crypto_kdf_KEYBYTES);
static_assert(nonce_size == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
static_assert(tag_size == crypto_aead_xchacha20poly1305_ietf_ABYTES);

namespace {

unsigned char const* bytes_of(std::string_view text) {
    return reinterpret_cast<unsigned char const*>(text.data());
}

unsigned char* bytes_of(char* text) {
    return reinterpret_cast<unsigned char*>(text);
}

} // namespace

Result<void> start_sodium() {
    if (sodium_init() < 0) return fail(Errc::internal, "libsodium could not start: no source of random numbers");
    return {};
}

std::string random_bytes(std::size_t size) {
    std::string bytes(size, '\0');
    randombytes_buf(bytes.data(), bytes.size());
    return bytes;
}

Secret random_key() {
    return Secret::filled(key_size, [](char* to) { randombytes_buf(to, key_size); });
}

Secret derive(Secret const& key, Purpose purpose) {
    assert(key.size() == key_size);
    return Secret::filled(key_size, [&](char* to) {
        crypto_kdf_derive_from_key(bytes_of(to), key_size, static_cast<std::uint64_t>(purpose), "pfarvalt",
                                   bytes_of(key.reveal()));
    });
}

Secret derive_salted(Secret const& key, std::string_view salt) {
    return Secret::filled(key_size, [&](char* to) {
        crypto_generichash(bytes_of(to), key_size, bytes_of(salt), salt.size(), bytes_of(key.reveal()), key.size());
    });
}

std::string seal(Secret const& key, std::string_view bound, std::string_view plain) {
    auto sealed = random_bytes(nonce_size);
    sealed.resize(nonce_size + plain.size() + tag_size);
    auto* const nonce = bytes_of(sealed.data());
    crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + nonce_size, nullptr, bytes_of(plain), plain.size(),
                                               bytes_of(bound), bound.size(), nullptr, nonce, bytes_of(key.reveal()));
    return sealed;
}

std::optional<Secret> unseal(Secret const& key, std::string_view bound, std::string_view sealed) {
    if (sealed.size() < nonce_size + tag_size) return std::nullopt;
    auto const secret = sealed.substr(nonce_size);
    bool opened = false;
    auto plain = Secret::filled(secret.size() - tag_size, [&](char* to) {
        opened = crypto_aead_xchacha20poly1305_ietf_decrypt(bytes_of(to), nullptr, nullptr, bytes_of(secret),
                                                            secret.size(), bytes_of(bound), bound.size(),
                                                            bytes_of(sealed), bytes_of(key.reveal())) == 0;
    });
    if (!opened) return std::nullopt;
    return plain;
}

std::string checksum(std::string_view bytes) {
    std::string sum(checksum_size, '\0');
    crypto_generichash(bytes_of(sum.data()), sum.size(), bytes_of(bytes), bytes.size(), nullptr, 0);
    return sum;
}

bool same_bytes(std::string_view a, std::string_view b) {
    return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace pfar::vault_file
