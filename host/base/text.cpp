// UTF-8 is decoded just far enough to tell a whole character from a broken one.
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace pfar::base {
namespace {

struct Character {
    char32_t code;
    std::size_t size; // 0: not a character
};

Character decode(std::string_view text) {
    auto const first = static_cast<unsigned char>(text[0]);
    std::size_t const size = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (size == 0 || size > text.size() || first > 0xf4) return {0, 0};
    char32_t code = size == 1 ? first : first & (0xffU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        auto const next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0U) != 0x80) return {0, 0};
        code = (code << 6U) | (next & 0x3fU);
    }
    constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {0, 0};
    return {code, size};
}

bool is_harmless(char32_t code) {
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
    bool const reorders = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                          (code >= 0x2066 && code <= 0x2069);
    return !reorders && code != 0x2028 && code != 0x2029 && code != 0xfeff;
}

/// Edits to get from `a` to `b`; two neighbours that changed places count as one.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = std::exchange(last, row);
    }
    return last[b.size()];
}

/// How many bytes of ASCII it begins with, eight at a time: most text is nothing else.
std::size_t ascii_run(std::string_view text) {
    std::size_t run = 0;
    for (std::uint64_t eight = 0; run + sizeof eight <= text.size(); run += sizeof eight) {
        std::memcpy(&eight, text.data() + run, sizeof eight);
        if ((eight & 0x8080808080808080U) != 0) break;
    }
    while (run < text.size() && static_cast<unsigned char>(text[run]) < 0x80) ++run;
    return run;
}

} // namespace

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        auto const [code, size] = decode(text);
        if (size == 0)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        else if (is_harmless(code))
            out.append(text.substr(0, size));
        else if (code == '\t')
            out += ' ';
        else
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return out;
}

std::string_view whole_text(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
    return text.substr(0, most);
}

bool is_utf8(std::string_view text) {
    for (text.remove_prefix(ascii_run(text)); !text.empty(); text.remove_prefix(ascii_run(text))) {
        auto const size = decode(text).size;
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

std::optional<std::string_view> nearest(std::string_view word, std::vector<std::string_view> const& candidates) {
    if (word.size() > 64) return {};
    std::optional<std::string_view> best;
    auto limit = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (auto const candidate : candidates) {
        auto const far = distance(word, candidate);
        if (far < limit && far < candidate.size()) best = candidate, limit = far;
    }
    if (best) return best;
    auto const begun = std::find_if(candidates.begin(), candidates.end(),
                                    [&](auto candidate) { return word.size() >= 2 && candidate.starts_with(word); });
    return begun == candidates.end() ? std::nullopt : std::optional(*begun);
}

std::string listed(std::vector<std::string_view> const& words, std::string_view last) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) out += i + 1 == words.size() ? fmt::format(" {} ", last) : ", ";
        out += words[i];
    }
    return out;
}

} // namespace pfar::base
