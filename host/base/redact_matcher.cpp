// Learning the spellings.
#include "base/redact_matcher.hpp"

#include <algorithm>
#include <tuple>

namespace pfar::base::redaction {
namespace {

constexpr std::size_t dense = 512; // beginnings up to here are known exactly, longer ones at steps of an eighth

std::uint64_t opening_of(std::string_view bytes) {
    std::uint64_t opening = 0;
    std::memcpy(&opening, bytes.data(), std::min<std::size_t>(bytes.size(), 8));
    return opening;
}

/// In this order, those that begin alike stand together.
std::uint64_t lexical(std::uint64_t opening) {
    return __builtin_bswap64(opening);
}

unsigned bits_for(std::size_t count) {
    unsigned bits = 0;
    while (std::size_t{1} << bits < count) ++bits;
    return bits;
}

std::uint64_t slot_of(std::uint64_t opening, std::size_t slots) {
    return (opening * 0x9e3779b97f4a7c15ULL >> 20U) & (slots - 1);
}

} // namespace

void Matcher::add(Spelling const& spelling, std::size_t secret) {
    auto const size = spelling.bytes.size();
    while (lengths_.empty() || lengths_.back() < size) {
        auto const last = lengths_.empty() ? 7 : lengths_.back();
        lengths_.push_back(last < dense ? last + 1 : last + last / 8);
        shifts_.push_back(power(base_, lengths_.back()));
    }
    Entry entry{opening_of(spelling.bytes), size,          secret,        0, power(base_, size),
                prefixes_.size(),           spelling.left, spelling.right};
    auto next = lengths_.begin();
    for (std::size_t i = 0; i < size; ++i) {
        if (i == *next) prefixes_.push_back(entry.whole), ++next;
        entry.whole = extended(entry.whole, base_, spelling.bytes[i]);
    }
    (size < 8 ? short_ : entries_).push_back(entry);
    longest_ = std::max(longest_, size);
    shortest_ = std::min(shortest_, size);
}

void Matcher::seal() {
    auto const key = [](Entry const& entry) {
        return std::tuple(lexical(entry.opening), ~entry.length, entry.whole, entry.left, entry.right, entry.secret);
    };
    auto const same = [](Entry const& a, Entry const& b) {
        return a.length == b.length && a.whole == b.whole && a.left == b.left && a.right == b.right;
    };
    for (auto* const all : {&entries_, &short_}) {
        std::sort(all->begin(), all->end(), [&](Entry const& a, Entry const& b) { return key(a) < key(b); });
        all->erase(std::unique(all->begin(), all->end(), same), all->end());
    }
    index();
}

void Matcher::index() {
    slots_.assign(std::size_t{1} << bits_for(4 * entries_.size() + 2), 0);
    word_bits_ = std::clamp(bits_for(32 * 5 * entries_.size()), 14U, 18U);
    words_.assign((std::size_t{1} << word_bits_) / 64, 0);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (i != 0 && entries_[i].opening == entries_[i - 1].opening) continue;
        mark(entries_[i].opening);
        auto slot = slot_of(entries_[i].opening, slots_.size());
        while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = static_cast<std::uint32_t>(i + 1);
    }
}

void Matcher::mark(std::uint64_t opening) {
    for (unsigned i = 0; i < 5; ++i, opening >>= 8U) {
        auto const bit = static_cast<std::uint32_t>(opening) * 0x9e3779b1U >> (32 - word_bits_);
        words_[bit / 64] |= std::uint64_t{1} << bit % 64;
    }
}

bool Matcher::begins(std::uint64_t bytes, std::size_t count) const {
    auto const kept = (std::uint64_t{1} << 8 * count) - 1;
    auto const begun = [&](Entry const& entry) { return entry.length > count && (entry.opening & kept) == bytes; };
    auto const first =
        std::lower_bound(entries_.begin(), entries_.end(), lexical(bytes),
                         [](Entry const& entry, std::uint64_t key) { return lexical(entry.opening) < key; });
    return (first != entries_.end() && begun(*first)) || std::any_of(short_.begin(), short_.end(), begun);
}

Matcher::Entry const* Matcher::find(std::uint64_t opening) const {
    for (auto slot = slot_of(opening, slots_.size()); slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
        auto const& entry = entries_[slots_[slot] - 1];
        if (entry.opening == opening) return &entry;
    }
    return nullptr;
}

} // namespace pfar::base::redaction
