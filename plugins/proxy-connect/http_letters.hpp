// What a byte may be in HTTP. The locale has no say in it.
#pragma once

#include <algorithm>
#include <string_view>

namespace pfar::proxy_connect {

inline bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

inline char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

inline bool is_letter_or_digit(char letter) {
    return is_digit(letter) || (lower(letter) >= 'a' && lower(letter) <= 'z');
}

inline bool is_control(char letter) {
    return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
}

/// In methods and the names of fields.
inline bool is_token_letter(char letter) {
    return is_letter_or_digit(letter) || std::string_view("!#$%&'*+-.^_`|~").find(letter) != std::string_view::npos;
}

inline bool is_token(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_letter);
}

/// Without regard to the case of ASCII letters.
inline bool is_same(std::string_view one, std::string_view other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](char left, char right) { return lower(left) == lower(right); });
}

} // namespace pfar::proxy_connect
