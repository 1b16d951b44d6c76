// How an entry looks on disk: pure functions between an Entry and the bytes of its file.
//
// File: header (magic, version, which key), nonce, XChaCha20-Poly1305 ciphertext of set time, name and value. Header and file
// name are associated data: a changed, cut or swapped file does not open. File names are keyed hashes: they tell nothing.
#pragma once

#include <pfar/result.hpp>
#include <pfar/secret.hpp>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::vault_file {

inline constexpr std::size_t max_name = 64, max_value = 1U << 20U;

/// Bytes of fixed length that are wiped when they go. For what cannot be made in a Secret directly.
class Wiped {
public:
    explicit Wiped(std::size_t size) : bytes_(size) {}
    Wiped(Wiped const&) = delete;
    Wiped& operator=(Wiped const&) = delete;
    ~Wiped();

    unsigned char* data() { return bytes_.data(); }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[nodiscard]] std::string_view view() const { return {reinterpret_cast<char const*>(bytes_.data()), size()}; }

private:
    std::vector<unsigned char> bytes_;
};

using KeyId = std::array<char, 8>;

/// What is derived from the master key: each key has one purpose.
struct Keys {
    Secret names, entries;
    KeyId id; // public: tells "another key" from "damaged"
};

struct Entry {
    std::string name;
    std::chrono::system_clock::time_point set_at;
    Secret value;
};

/// 32 random bytes. Errc::internal if libsodium cannot start.
Result<Secret> random_master_key();
/// Errc::invalid if `master` has not the right length.
Result<Keys> derive_keys(Secret const& master);

/// 64 hexadecimal digits.
std::string file_name_of(Keys const& keys, std::string_view name);
bool is_entry_file(std::string_view file);
/// The most that seal() makes.
std::size_t max_sealed();

/// The content of the file `file_name_of(keys, entry.name)`. Name and value are within their bounds.
std::string seal(Keys const& keys, Entry const& entry);
/// Errc::io with a phrase that says what is wrong: "was changed or cut".
Result<Entry> unseal(Keys const& keys, std::string_view file, std::string_view sealed);
/// Whether the header says that it was sealed with these keys; not authenticated.
bool claims_key(Keys const& keys, std::string_view sealed);

} // namespace pfar::vault_file
