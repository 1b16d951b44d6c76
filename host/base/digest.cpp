// libsodium does it.
#include "base/digest.hpp"

#include <sodium.h>

namespace pfar::base {

std::string sha256(std::string_view bytes) {
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(hash, reinterpret_cast<unsigned char const*>(bytes.data()), bytes.size());
    std::string hex(2 * sizeof hash + 1, '\0');
    sodium_bin2hex(hex.data(), hex.size(), hash, sizeof hash);
    hex.pop_back();
    return hex;
}

std::string base64(std::string_view bytes) {
    std::string out(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
    sodium_bin2base64(out.data(), out.size(), reinterpret_cast<unsigned char const*>(bytes.data()), bytes.size(),
                      sodium_base64_VARIANT_ORIGINAL);
    out.pop_back();
    return out;
}

} // namespace pfar::base
