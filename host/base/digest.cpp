// libsodium does it.
#include "base/digest.hpp"

#include <sodium.h>

#include <algorithm>

namespace pfar::base {

std::string sha256(std::string_view bytes) {
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(hash, reinterpret_cast<unsigned char const*>(bytes.data()), bytes.size());
    std::string hex(2 * sizeof hash + 1, '\0');
    sodium_bin2hex(hex.data(), hex.size(), hash, sizeof hash);
    hex.pop_back();
    return hex;
}

Secret basic_authorization(Secret const& login) {
    constexpr std::string_view scheme = "Basic ";
    auto const text = login.reveal();
    auto const size = sodium_base64_ENCODED_LEN(text.size(), sodium_base64_VARIANT_ORIGINAL); // with its NUL
    auto const whole = Secret::filled(scheme.size() + size, [&](char* to) {
        to = std::copy(scheme.begin(), scheme.end(), to);
        sodium_bin2base64(to, size, reinterpret_cast<unsigned char const*>(text.data()), text.size(),
                          sodium_base64_VARIANT_ORIGINAL);
    });
    return Secret(whole.reveal().substr(0, whole.size() - 1));
}

} // namespace pfar::base
