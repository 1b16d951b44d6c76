// Escapes one by one: what a JSON escape, a URL-encoded byte or a line break within base64 stands for. What is none is never guessed at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pfar::base::redaction {

/// What one escape stands for. Filled in place: put together elsewhere and copied, it would be the slowest part of undoing.
struct Element {
    std::uint32_t taken = 0; // bytes of the text; 0: no escape begins here
    std::uint32_t bytes = 0; // what it stands for, the first byte lowest
    std::uint8_t made = 0;   // how many those are
    bool unfinished = false; // the text ends before that is decided
};

enum class Escape { json, percent, wrapped };

inline constexpr std::size_t wrapped_line = 16; // so many base64 characters before a line break make it look wrapped

inline constexpr auto hex_values = [] {
    std::array<std::int8_t, 256> table{};
    table.fill(-1);
    for (std::string_view const digits : {"0123456789abcdef", "0123456789ABCDEF"})
        for (std::size_t i = 0; i < digits.size(); ++i)
            table[static_cast<unsigned char>(digits[i])] = static_cast<std::int8_t>(i);
    return table;
}();

inline constexpr auto json_meanings = [] {
    std::array<char, 256> table{};
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    for (std::size_t i = 0; i < letters.size(); ++i) table[static_cast<unsigned char>(letters[i])] = meanings[i];
    return table;
}();

/// -1: no hexadecimal digit.
inline int hex(char digit) {
    return hex_values[static_cast<unsigned char>(digit)];
}

inline void put_byte(Element& element, std::uint32_t taken, int byte) {
    element.taken = taken;
    element.bytes = static_cast<std::uint32_t>(byte);
    element.made = 1;
}

/// \uXXXX; a pair of surrogates is one element.
void read_unicode(std::string_view text, std::size_t at, Element& element);

/// These take an empty element. At a backslash, as in a JSON string:
inline void read_json(std::string_view text, std::size_t at, Element& element) {
    element.unfinished = at + 1 == text.size();
    if (element.unfinished) return;
    auto const letter = static_cast<unsigned char>(text[at + 1]);
    if (letter == 'u') return read_unicode(text, at, element);
    if (json_meanings[letter] != 0) put_byte(element, 2, json_meanings[letter]);
}

/// At a percent sign.
inline void read_percent(std::string_view text, std::size_t at, Element& element) {
    auto const left = text.size() - at;
    if (left > 1 && hex(text[at + 1]) < 0) return;
    element.unfinished = left < 3;
    if (left < 3 || hex(text[at + 2]) < 0) return;
    put_byte(element, 3, hex(text[at + 1]) * 16 + hex(text[at + 2]));
}

/// At a line break: it and blanks after it, if what stands before it looks like a line of base64.
void read_wrap(std::string_view text, std::size_t at, Element& element);

} // namespace pfar::base::redaction
