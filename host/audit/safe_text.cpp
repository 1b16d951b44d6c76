// base::printable writes control and direction characters as \u escapes, which within JSON are JSON's own. Only its \x for broken
// UTF-8 is not. It looks at each character; here most are passed over by their first byte.
#include "audit/safe_text.hpp"

#include "base/surrogates.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pfar::audit {
namespace {

/// What printable may change begins with one of these.
constexpr auto suspicious = [] {
    std::array<bool, 256> table{};
    for (std::size_t byte = 0; byte < 0x20; ++byte) table[byte] = true;
    for (std::size_t const byte : {0x7f, 0xc2, 0xd8, 0xe2, 0xef}) table[byte] = true;
    return table;
}();

std::size_t size_of_character(char first) {
    auto const byte = static_cast<unsigned char>(first);
    return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

void append_whole(std::string& out, std::string_view text) {
    while (!text.empty()) {
        auto const end = std::find_if(text.begin(), text.end(),
                                      [](char byte) { return suspicious[static_cast<unsigned char>(byte)]; });
        out.append(text.begin(), end);
        text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
        if (text.empty()) return;
        auto const size = size_of_character(text[0]);
        out += base::printable(text.substr(0, size));
        text.remove_prefix(size);
    }
}

void append_broken(std::string& out, std::string_view text) {
    while (!text.empty()) {
        auto const character = text.substr(0, size_of_character(text[0]));
        bool const whole = base::is_utf8(character);
        out += whole ? base::printable(character) : fmt::format("\\\\x{:02x}", static_cast<unsigned char>(text[0]));
        text.remove_prefix(whole ? character.size() : 1);
    }
}

} // namespace

/// A loop without a way out, so that the compiler can look at many bytes at once.
bool is_plain(std::string_view text) {
    unsigned odd = 0;
    for (char const byte : text) odd |= static_cast<unsigned char>(byte - 0x20) > 0x5e ? 1U : 0U;
    return odd == 0 && text.find("\\ud") == std::string_view::npos && text.find("\\uD") == std::string_view::npos;
}

void append_safe(std::string& out, std::string_view written) {
    auto const mended = base::with_whole_pairs(written); // or nobody could read the line
    auto const json = mended ? std::string_view(*mended) : written;
    if (is_plain(json))
        out += json;
    else if (base::is_utf8(json))
        append_whole(out, json);
    else
        append_broken(out, json);
}

} // namespace pfar::audit
