// Key: what makes a hash of this record different from a hash that anybody could compute.
//
// It lies beside the record (audit/key, 32 random bytes, 0600). Whoever can read it can write a record of his own; against
// that only a copy of the head that is kept elsewhere helps.
#pragma once

#include <pfar/result.hpp>
#include <pfar/secret.hpp>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

namespace pfar::audit {

class Key {
public:
    /// Errc::not_found if there is none; Errc::refused if others can read it. [may block]
    static Result<Key> read(std::filesystem::path const& directory);
    /// Makes it first if there is none. Refuses to where there are lines already: they belong to a key that is gone. [may block]
    static Result<Key> open(std::filesystem::path const& directory);

    /// Lower-case hexadecimal digits. [any thread]
    using Digits = std::array<char, 64>;
    [[nodiscard]] Digits hash(std::string_view text) const;

private:
    explicit Key(Secret bytes) : bytes_(std::move(bytes)) {}

    Secret bytes_;
};

} // namespace pfar::audit
