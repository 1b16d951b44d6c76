#include "stretch.hpp"

#include <sodium.h>

namespace pfar::vault_file {

Result<Secret> stretch(Header const& header, Secret const& words) {
    auto const text = words.size() == 0 ? std::string_view("") : words.reveal(); // an empty Secret has no address
    bool done = false;
    auto key = Secret::filled(key_size, [&](char* to) {
        done = crypto_pwhash(reinterpret_cast<unsigned char*>(to), key_size, text.data(), text.size(),
                             reinterpret_cast<unsigned char const*>(header.salt.data()), header.passes,
                             std::size_t{header.kibibytes} * 1024, crypto_pwhash_ALG_ARGON2ID13) == 0;
    });
    if (done) return key;
    return fail(Errc::unavailable, "the vault's key could not be worked out: it takes " +
                                       std::to_string(header.kibibytes / 1024) +
                                       " MiB of memory; free some and try again");
}

} // namespace pfar::vault_file
