// The entry format on libsodium. Plain bytes exist only in Wiped and Secret.
#include "sealed_entry.hpp"

#include <sodium.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>

namespace pfar::vault_file {

namespace {

constexpr std::string_view magic{"pfarent\1", 8}; // the last byte is the format's version
constexpr std::size_t header_size = magic.size() + std::tuple_size_v<KeyId>;
constexpr std::size_t nonce_size = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tag_size = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t plain_overhead = 8 + 1; // set time, length of the name

enum Purpose : std::uint64_t { for_names = 1, for_entries = 2, for_id = 3 };

unsigned char const* bytes_of(std::string_view text) {
    return reinterpret_cast<unsigned char const*>(text.data());
}

unsigned char* bytes_of(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}

void derive(Wiped& to, Purpose purpose, Secret const& master) {
    crypto_kdf_derive_from_key(to.data(), to.size(), purpose, "pfarvalt", bytes_of(master.reveal()));
}

std::string header_of(KeyId const& id) {
    return std::string(magic).append(id.data(), id.size());
}

void put_time(unsigned char* to, std::chrono::system_clock::time_point time) {
    auto const count = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
    for (unsigned i = 0; i < 8; ++i) to[i] = static_cast<unsigned char>(static_cast<std::uint64_t>(count) >> (8 * i));
}

std::chrono::system_clock::time_point time_in(unsigned char const* from) {
    std::uint64_t count = 0;
    for (unsigned i = 0; i < 8; ++i) count |= std::uint64_t{from[i]} << (8 * i);
    return std::chrono::system_clock::time_point(std::chrono::milliseconds(static_cast<std::int64_t>(count)));
}

// The length of the name is authenticated, but a length is never believed.
Result<Entry> unpack(Wiped& plain) {
    auto const rest = plain.view().substr(plain_overhead);
    std::size_t const name_size = plain.data()[8];
    if (name_size > rest.size()) return fail(Errc::io, "has a name longer than itself");
    return Entry{std::string(rest.substr(0, name_size)), time_in(plain.data()), Secret(rest.substr(name_size))};
}

} // namespace

Wiped::~Wiped() {
    sodium_memzero(bytes_.data(), bytes_.size());
}

Result<Secret> random_master_key() {
    if (sodium_init() < 0) return fail(Errc::internal, "libsodium could not start: no source of random numbers");
    Wiped bytes(crypto_kdf_KEYBYTES);
    randombytes_buf(bytes.data(), bytes.size());
    return Secret(bytes.view());
}

Result<Keys> derive_keys(Secret const& master) {
    if (sodium_init() < 0) return fail(Errc::internal, "libsodium could not start: no source of random numbers");
    if (master.size() != crypto_kdf_KEYBYTES) return fail(Errc::invalid, "a vault key has 32 bytes");
    Wiped names(crypto_generichash_KEYBYTES), entries(crypto_aead_xchacha20poly1305_ietf_KEYBYTES), id(16);
    derive(names, for_names, master);
    derive(entries, for_entries, master);
    derive(id, for_id, master);
    Keys keys{Secret(names.view()), Secret(entries.view()), {}};
    std::copy_n(id.view().begin(), keys.id.size(), keys.id.begin());
    return keys;
}

std::string file_name_of(Keys const& keys, std::string_view name) {
    std::array<unsigned char, 32> hash{};
    crypto_generichash(hash.data(), hash.size(), bytes_of(name), name.size(), bytes_of(keys.names.reveal()),
                       keys.names.size());
    std::string hex(2 * hash.size() + 1, '\0');
    sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
    hex.pop_back();
    return hex;
}

bool is_entry_file(std::string_view file) {
    return file.size() == 64 && file.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::size_t max_sealed() {
    return header_size + nonce_size + plain_overhead + max_name + max_value + tag_size;
}

std::string seal(Keys const& keys, Entry const& entry) {
    assert(entry.name.size() <= max_name && entry.value.size() <= max_value);
    auto const value = entry.value.reveal();
    Wiped plain(plain_overhead + entry.name.size() + value.size());
    put_time(plain.data(), entry.set_at);
    plain.data()[8] = static_cast<unsigned char>(entry.name.size());
    std::copy(entry.name.begin(), entry.name.end(), plain.data() + plain_overhead);
    std::copy(value.begin(), value.end(), plain.data() + plain_overhead + entry.name.size());

    auto sealed = header_of(keys.id);
    auto const bound = sealed + file_name_of(keys, entry.name);
    sealed.resize(header_size + nonce_size + plain.size() + tag_size);
    auto* const nonce = bytes_of(sealed) + header_size;
    randombytes_buf(nonce, nonce_size);
    crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + nonce_size, nullptr, plain.data(), plain.size(), bytes_of(bound),
                                               bound.size(), nullptr, nonce, bytes_of(keys.entries.reveal()));
    return sealed;
}

Result<Entry> unseal(Keys const& keys, std::string_view file, std::string_view sealed) {
    if (sealed.size() < header_size + nonce_size + plain_overhead + tag_size) return fail(Errc::io, "was cut");
    if (!sealed.starts_with(magic.substr(0, 7))) return fail(Errc::io, "is not a vault entry");
    if (!sealed.starts_with(magic)) return fail(Errc::io, "has a format that this version does not know");
    if (!claims_key(keys, sealed)) return fail(Errc::io, "was sealed with another key");

    auto const bound = std::string(sealed.substr(0, header_size)).append(file);
    auto const nonce = sealed.substr(header_size, nonce_size);
    auto const secret = sealed.substr(header_size + nonce_size);
    Wiped plain(secret.size() - tag_size);
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(plain.data(), nullptr, nullptr, bytes_of(secret), secret.size(),
                                                   bytes_of(bound), bound.size(), bytes_of(nonce),
                                                   bytes_of(keys.entries.reveal())) != 0)
        return fail(Errc::io, "was changed, cut or put in another's place");
    return unpack(plain);
}

bool claims_key(Keys const& keys, std::string_view sealed) {
    return sealed.starts_with(header_of(keys.id));
}

} // namespace pfar::vault_file
