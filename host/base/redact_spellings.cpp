// In base64 only those characters are compared that the secret alone determines; their partly determined neighbours are marked.
#include "base/redact_spellings.hpp"

#include "base/redact_escapes.hpp"

#include <algorithm>
#include <array>

namespace pfar::base::redaction {
namespace {

constexpr std::string_view standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t least_core = 6;    // base64 that is shorter would be found in every other word
constexpr std::size_t least_decoded = 8; // as for a secret

constexpr auto base64_characters = [] {
    std::array<bool, 256> table{};
    for (auto const character : standard) table[static_cast<unsigned char>(character)] = true;
    table['-'] = table['_'] = true;
    return table;
}();

std::string_view viewed(WipedVector<char> const& bytes) {
    return {bytes.data(), bytes.size()};
}

/// The 6 bits of `value` that begin at bit `at`.
unsigned sextet(std::string_view value, std::size_t at) {
    auto const first = static_cast<unsigned char>(value[at / 8]);
    auto const second = at / 8 + 1 < value.size() ? static_cast<unsigned char>(value[at / 8 + 1]) : 0U;
    return ((first << 8U | second) >> (10 - at % 8)) & 63U;
}

/// After `before` other bytes, that is at one of three alignments.
void base64_spellings(std::string_view value, std::size_t before, std::function<void(Spelling const&)> const& take) {
    auto const skipped = (6 - before * 8 % 6) % 6;
    auto const bits = value.size() * 8;
    if (bits < skipped + 6 * least_core) return;
    WipedVector<char> core((bits - skipped) / 6);
    for (std::size_t i = 0; i < core.size(); ++i) core[i] = standard[sextet(value, skipped + 6 * i)];
    Spelling const spelling{viewed(core), true, before != 0, (bits - skipped) % 6 != 0};
    take(spelling);
    bool differs = false;
    for (auto& character : core) {
        if (character == '+' || character == '/') differs = true, character = character == '+' ? '-' : '_';
    }
    if (differs) take(spelling);
}

} // namespace

bool is_base64(char character) {
    return base64_characters[static_cast<unsigned char>(character)];
}

WipedVector<char> percent_decoded(std::string_view text) {
    WipedVector<char> decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        Element element;
        if (text[at] == '%') read_percent(text, at, element);
        decoded.push_back(element.taken == 0 ? text[at] : static_cast<char>(element.bytes));
        at += std::max<std::size_t>(element.taken, 1);
    }
    return decoded;
}

void each_spelling(std::string_view value, std::function<void(Spelling const&)> const& take) {
    while (value.ends_with('\n') || value.ends_with('\r')) value.remove_suffix(1);
    if (value.empty()) return;
    take({value});
    for (std::size_t before = 0; before < 3; ++before) base64_spellings(value, before, take);
    if (value.find(' ') != std::string_view::npos) {
        WipedVector<char> form(value.begin(), value.end());
        std::replace(form.begin(), form.end(), ' ', '+');
        take({viewed(form)});
    }
    if (value.find('%') == std::string_view::npos) return;
    auto const decoded = percent_decoded(value); // a URL, taken apart by who got it
    if (decoded.size() < value.size() && decoded.size() >= least_decoded) take({viewed(decoded)});
}

} // namespace pfar::base::redaction
