// Made under the lock, or two processes that start together would each have one of their own.
#include "audit/key.hpp"

#include "audit/files.hpp"
#include "audit/lock.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <cerrno>

namespace pfar::audit {
namespace {

constexpr std::size_t key_size = 32;

Result<void> make_key(std::filesystem::path const& directory) {
    PFAR_TRY(held, hold(directory));
    auto const file = directory / "key";
    if (std::error_code error; std::filesystem::exists(file, error)) return {}; // somebody was quicker
    if (last_file(directory) > 0)
        return fail(Errc::invalid,
                    fmt::format("{} is missing although there is a record; put it back, or move {} away to begin anew",
                                base::printable(file.native()), base::printable(directory.native())));
    if (::sodium_init() < 0) return fail(Errc::internal, "libsodium could not be set up");
    std::string bytes(key_size, '\0');
    ::randombytes_buf(bytes.data(), bytes.size());
    auto written = base::write_file(file, bytes, 0600);
    ::sodium_memzero(bytes.data(), bytes.size());
    return written;
}

} // namespace

Result<Key> Key::read(std::filesystem::path const& directory) {
    auto const file = directory / "key";
    PFAR_TRY(bytes, base::read_file(file, 4096));
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0 || (status.st_mode & 077U) != 0)
        return fail(Errc::refused, fmt::format("{} can be read by others; run: chmod 600 {}",
                                               base::printable(file.native()), base::printable(file.native())));
    if (bytes.size() != key_size)
        return fail(Errc::invalid,
                    fmt::format("{} is not a key of {} bytes; put the right one back, or move {} away",
                                base::printable(file.native()), key_size, base::printable(directory.native())));
    Key key{Secret(bytes)};
    ::sodium_memzero(bytes.data(), bytes.size());
    return key;
}

Result<Key> Key::open(std::filesystem::path const& directory) {
    auto key = read(directory);
    if (key || key.error().code != Errc::not_found) return key;
    PFAR_CHECK(make_key(directory));
    return read(directory);
}

Key::Digits Key::hash(std::string_view text) const {
    unsigned char hash[crypto_generichash_BYTES];
    auto const secret = bytes_.reveal();
    ::crypto_generichash(hash, sizeof hash, reinterpret_cast<unsigned char const*>(text.data()), text.size(),
                         reinterpret_cast<unsigned char const*>(secret.data()), secret.size());
    static_assert(2 * sizeof hash == std::tuple_size_v<Digits>);
    static constexpr std::string_view hex = "0123456789abcdef";
    Digits out{};
    for (std::size_t i = 0; i < sizeof hash; ++i) out[2 * i] = hex[hash[i] >> 4U], out[2 * i + 1] = hex[hash[i] & 15U];
    return out;
}

} // namespace pfar::audit
