#include "wire/scan.hpp"

#include "base/text.hpp"

#include <array>
#include <cstdint>
#include <cstring>

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

bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}
bool is_hex(char byte) {
    return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

class Scanner {
public:
    Scanner(std::string_view text, ScanTask const& task) : at_(text.data()), end_(at_ + text.size()), task_(task) {}

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
        return depth > 0 || !task_.member || task_.member(name, since(begin));
    }

    bool array(unsigned depth) {
        ++at_;
        space();
        if (take(']')) return true;
        do {
            space();
            auto const* const begin = at_;
            if (!value(depth + 1)) return false;
            if (depth == 0 && task_.element && !task_.element(since(begin))) return false;
            space();
        } while (take(','));
        return take(']');
    }

    bool string() {
        for (++at_;; ++at_) {
            skip_plain();
            if (at_ == end_) return false;
            if (*at_ == '"') return ++at_, true;
            if (*at_ != '\\' || !escape()) return false;
        }
    }

    void skip_plain() {
        for (std::uint64_t eight = 0; end_ - at_ >= 8; at_ += 8) {
            std::memcpy(&eight, at_, 8);
            if (is_special(eight)) break;
        }
        while (at_ != end_ && plain[static_cast<unsigned char>(*at_)]) ++at_;
    }

    bool escape() { // leaves at_ on its last byte
        if (++at_ == end_) return false;
        if (*at_ != 'u') return std::string_view("\"\\/bfnrt").find(*at_) != std::string_view::npos;
        if (end_ - at_ < 5) return false;
        for (int i = 0; i < 4; ++i)
            if (!is_hex(*++at_)) return false;
        return true;
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
    ScanTask const& task_;
};

} // namespace

bool scan(std::string_view text, ScanTask const& task) {
    return base::is_utf8(text) && Scanner(text, task).all();
}

} // namespace pfar::wire
