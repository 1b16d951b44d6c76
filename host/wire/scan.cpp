// Strings are most of a text, so they are looked at 64 bytes at once where the processor is known to do that.
#include "wire/scan.hpp"

#include "base/text.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace pfar::wire {
namespace {

constexpr auto plain = [] { // what may stand in a string as it is
    std::array<bool, 256> out{};
    for (unsigned byte = 0x20; byte < 256; ++byte) out[byte] = byte != '"' && byte != '\\';
    return out;
}();

/// A byte of these eight ends a run of plain ones, or is near one that does.
bool is_special(std::uint64_t eight) {
    constexpr std::uint64_t ones = 0x0101010101010101, highs = ones << 7U;
    auto const zero = [](std::uint64_t x) { return (x - ones) & ~x; };
    auto const below_space = (eight - ones * 0x20) & ~eight;
    return ((zero(eight ^ (ones * '"')) | zero(eight ^ (ones * '\\')) | below_space) & highs) != 0;
}

#ifdef __SSE2__
/// A bit for each byte, the first one lowest.
struct Bits {
    std::uint64_t special = 0; // cannot stand in a string as they are
    std::uint64_t foreign = 0; // are no ASCII
};

template <unsigned size> Bits bits_of(char const* at) {
    Bits out;
    for (unsigned i = 0; i < size; i += 16) {
        auto const bytes = _mm_loadu_si128(reinterpret_cast<__m128i const*>(at + i));
        auto const quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
        auto const slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
        auto const controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
        auto const special = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, slashes), controls));
        out.special |= static_cast<std::uint64_t>(special) << i;
        out.foreign |= static_cast<std::uint64_t>(_mm_movemask_epi8(bytes)) << i;
    }
    return out;
}
#endif

bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}
bool is_hex(char byte) {
    return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

/// How many bytes an escape takes, by the byte after its backslash; 0: it is none.
constexpr auto escape_sizes = [] {
    std::array<std::uint8_t, 256> out{};
    for (char const byte : std::string_view("\"\\/bfnrt")) out[static_cast<unsigned char>(byte)] = 2;
    out['u'] = 6;
    return out;
}();

struct Listeners {
    MemberListener member;
    OnElement const* element;
    unsigned depth;
};

class Scanner {
public:
    Scanner(std::string_view text, Listeners const& task) : at_(text.data()), end_(at_ + text.size()), task_(task) {}

    bool all() {
        space();
        if (!value(0)) return false;
        space();
        return at_ == end_;
    }

private:
    [[nodiscard]] bool sees(char byte) const { return at_ != end_ && *at_ == byte; }
    bool take(char byte) { return sees(byte) && (++at_, true); }
    void space() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
    }

    bool value(unsigned depth) {
        if (at_ == end_) return false;
        switch (*at_) {
        case '{':
            return depth < task_.depth && object(depth);
        case '[':
            return depth < task_.depth && array(depth);
        case '"':
            return string();
        case 't':
            return word("true");
        case 'f':
            return word("false");
        case 'n':
            return word("null");
        default:
            return number();
        }
    }

    bool object(unsigned depth) {
        ++at_;
        space();
        if (take('}')) return true;
        do {
            space();
            if (!member(depth)) return false;
            space();
        } while (take(','));
        return take('}');
    }

    bool member(unsigned depth) {
        auto const* const key = at_;
        if (!sees('"') || !string()) return false;
        std::string_view const name(key + 1, static_cast<std::size_t>(at_ - key) - 2);
        space();
        if (!take(':')) return false;
        space();
        auto const* const begin = at_;
        if (!value(depth + 1)) return false;
        return depth > 0 || task_.member.hear == nullptr || task_.member.hear(task_.member.who, name, since(begin));
    }

    bool array(unsigned depth) {
        ++at_;
        space();
        if (take(']')) return true;
        do {
            space();
            auto const* const begin = at_;
            if (!value(depth + 1)) return false;
            if (depth == 0 && task_.element != nullptr && !(*task_.element)(since(begin))) return false;
            space();
        } while (take(','));
        return take(']');
    }

    bool string() {
        auto const* begin = ++at_;
#ifdef __SSE2__
        foreign_ = 0;
        auto const pass = by_blocks();
        if (pass == Pass::broken) return false;
        if (pass == Pass::closed) return foreign_ == 0 || base::is_utf8({begin, at_ - 1});
        if (foreign_ == 0) begin = at_; // what was passed is ASCII
#endif
        return rest_of_string() && base::is_utf8({begin, at_ - 1});
    }

#ifdef __SSE2__
    enum class Pass { on, closed, broken };

    /// Most strings are short; what is longer than a block of 16 is likely to be much longer.
    Pass by_blocks() {
        auto pass = end_ - at_ >= 16 ? block<16>() : Pass::on;
        while (pass == Pass::on && end_ - at_ >= 64) pass = block<64>();
        while (pass == Pass::on && end_ - at_ >= 16) pass = block<16>();
        return pass;
    }

    /// Leaves at_ behind the block and the escape that it ends with, or behind the mark that closes the string.
    template <unsigned size> Pass block() {
        auto const bits = bits_of<size>(at_);
        foreign_ |= bits.foreign;
        for (auto special = bits.special; special != 0;) {
            auto const place = static_cast<unsigned>(std::countr_zero(special));
            if (at_[place] == '"') return at_ += place + 1, Pass::closed;
            auto const taken = at_[place] == '\\' ? escape(at_ + place) : 0;
            if (taken == 0) return Pass::broken;
            if (place + taken >= size) return at_ += place + taken, Pass::on;
            special &= ~std::uint64_t{0} << (place + taken);
        }
        return at_ += size, Pass::on;
    }
#endif

    /// Byte by byte, or nearly so.
    bool rest_of_string() {
        for (;;) {
            skip_plain();
            if (at_ == end_) return false;
            if (*at_ == '"') return ++at_, true;
            auto const size = *at_ == '\\' ? escape(at_) : 0;
            if (size == 0) return false;
            at_ += size;
        }
    }

    void skip_plain() {
        for (std::uint64_t eight = 0; end_ - at_ >= 8; at_ += 8) {
            std::memcpy(&eight, at_, 8);
            if (is_special(eight)) break;
        }
        while (at_ != end_ && plain[static_cast<unsigned char>(*at_)]) ++at_;
    }

    /// The size of the escape that begins there; 0: it is none.
    [[nodiscard]] unsigned escape(char const* at) const {
        if (end_ - at < 2) return 0;
        unsigned const size = escape_sizes[static_cast<unsigned char>(at[1])];
        if (size <= 2) return size;
        bool const whole = end_ - at >= 6 && is_hex(at[2]) && is_hex(at[3]) && is_hex(at[4]) && is_hex(at[5]);
        return whole ? size : 0;
    }

    bool digits() {
        auto const* const begin = at_;
        while (at_ != end_ && is_digit(*at_)) ++at_;
        return at_ != begin;
    }

    bool number() {
        take('-');
        if (!take('0') && !digits()) return false;
        if (take('.') && !digits()) return false;
        if (!take('e') && !take('E')) return true;
        if (!take('+')) take('-');
        return digits();
    }

    bool word(std::string_view expected) {
        if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(expected)) return false;
        at_ += expected.size();
        return true;
    }

    [[nodiscard]] std::string_view since(char const* begin) const {
        return {begin, static_cast<std::size_t>(at_ - begin)};
    }

    char const* at_;
    char const* end_;
    std::uint64_t foreign_ = 0; // not 0: the string has more than ASCII in it
    Listeners task_;
};

} // namespace

bool scan(std::string_view text, ScanTask const& task) {
    MemberListener const member{&task.member, task.member ? pass_on<OnMember> : nullptr};
    return Scanner(text, {member, task.element ? &task.element : nullptr, task.depth}).all();
}

bool scan_for(std::string_view text, MemberListener listener) {
    return Scanner(text, {listener, nullptr, most_depth}).all();
}

} // namespace pfar::wire
