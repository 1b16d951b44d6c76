// Fingerprints of text: polynomials modulo 2^61 - 1 at a random point, so that any part of a text is compared with a secret in one step.
//
// Equal texts always have equal fingerprints, so nothing is ever overlooked; different ones with a probability of about length / 2^61,
// whatever a stranger writes, because the point is drawn anew for each set of secrets. Memory that knows about secrets is wiped.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace pfar::base::redaction {

/// Wipes what it gives back.
template <class T> struct Wiping {
    using value_type = T;
    Wiping() = default;
    template <class U> Wiping(Wiping<U> const&) {}
    T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
    void deallocate(T* pointer, std::size_t count) {
        ::explicit_bzero(static_cast<void*>(pointer), count * sizeof(T));
        std::allocator<T>().deallocate(pointer, count);
    }
    template <class U> bool operator==(Wiping<U> const&) const { return true; }
};

template <class T> using WipedVector = std::vector<T, Wiping<T>>;

using Residue = std::uint64_t;
inline constexpr Residue modulus = (1ULL << 61U) - 1;

inline Residue reduced(std::uint64_t sum) {
    return sum >= modulus ? sum - modulus : sum;
}
inline Residue plus(Residue a, Residue b) {
    return reduced(a + b);
}
inline Residue minus(Residue a, Residue b) {
    return reduced(a + modulus - b);
}
inline Residue times(Residue a, Residue b) {
    __extension__ using Wide = unsigned __int128;
    auto const product = static_cast<Wide>(a) * b;
    return plus(static_cast<Residue>(product & modulus), static_cast<Residue>(product >> 61U));
}

/// The fingerprint of a text with one more character.
inline Residue extended(Residue text, Residue base, char next) {
    return plus(times(text, base), static_cast<unsigned char>(next));
}

/// base^exponent; base^(modulus - 2) is its inverse.
Residue power(Residue base, std::uint64_t exponent);

/// A point that nobody else knows.
Residue random_base();

/// The fingerprints of all prefixes of a text, made as far as they are asked for: each character is looked at once, as long as the
/// places that are asked for do not go back.
class Prefixes {
public:
    Prefixes(std::string_view text, Residue base) : text_(text), base_(base) {}
    /// Everything before `begin` is forgotten if it has to be.
    void reach(std::size_t begin, std::size_t end);
    /// Only within what was reached last.
    [[nodiscard]] Residue until(std::size_t end) const { return known_[end - first_]; }
    /// How many characters were looked at.
    [[nodiscard]] std::size_t work() const { return work_; }

private:
    std::string_view text_;
    Residue base_;
    std::size_t first_ = 0;
    std::size_t work_ = 0;
    WipedVector<Residue> known_;
};

} // namespace pfar::base::redaction
