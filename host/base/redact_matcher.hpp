// Finds many spellings in one view in linear time, without keeping them: of each it knows the first 8 bytes and fingerprints.
//
// Every fifth place is looked up in a bitmap of the 4-byte words that spellings begin with; a hit leads to a lookup of 8 bytes, that to a
// comparison of fingerprints. So time is linear in the view whatever is in it (times the number of secrets whose first 8 bytes are
// equal, where those stand in the text), and memory is small and independent of the length of the secrets.
#pragma once

#include "base/redact_findings.hpp"
#include "base/redact_spellings.hpp"

namespace pfar::base::redaction {

class Matcher {
public:
    explicit Matcher(Residue base) : base_(base), inverse_(power(base, modulus - 2)) {}
    void add(Spelling const& spelling, std::size_t secret);
    /// After the last `add`, before the first `scan`.
    void seal();

    [[nodiscard]] std::size_t longest() const { return longest_; }
    [[nodiscard]] std::size_t shortest() const { return shortest_; }
    /// Matches and, where the view is open, beginnings of matches. [any thread]
    void scan(View const& view, Findings& found) const;

private:
    class Scan;
    struct Entry {
        std::uint64_t opening; // its first bytes, at most 8
        std::size_t length, secret;
        Residue whole, shift; // the fingerprint, and base^length
        std::size_t prefixes; // where in prefixes_ its beginnings are: one for each of lengths_ that it exceeds
        bool left, right;
    };
    [[nodiscard]] Entry const* find(std::uint64_t opening) const;
    /// False: no spelling has this word at its first, second... or fifth place.
    [[nodiscard]] bool may_begin_near(std::uint32_t word) const {
        auto const bit = word * 0x9e3779b1U >> (32 - word_bits_);
        return (words_[bit / 64] >> bit % 64 & 1U) != 0;
    }
    /// True if one is longer than `count` bytes, at most 7, and begins with them.
    [[nodiscard]] bool begins(std::uint64_t bytes, std::size_t count) const;
    void mark(std::uint64_t opening);
    void index();

    Residue base_, inverse_;
    WipedVector<Entry> entries_; // 8 bytes and more; by opening, longest first
    WipedVector<Entry> short_;   // fewer
    WipedVector<Residue> prefixes_;
    std::vector<std::size_t> lengths_; // of the beginnings that are known: dense first, then ever sparser
    std::vector<Residue> shifts_;      // base^length of each
    WipedVector<std::uint32_t> slots_; // opening -> the first of entries_, plus 1; open addressing
    WipedVector<std::uint64_t> words_; // the bitmap
    unsigned word_bits_ = 0;
    std::size_t longest_ = 0, shortest_ = Findings::nothing;
};

} // namespace pfar::base::redaction
