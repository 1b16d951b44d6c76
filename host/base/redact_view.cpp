// Escapes one by one, and the way back from a view to the text.
#include "base/redact_view.hpp"

#include "base/redact_pieces.hpp"
#include "base/redact_spellings.hpp"

#include <algorithm>
#include <array>

namespace pfar::base::redaction {
namespace {

constexpr std::size_t wrapped_line = 16; // so many base64 characters before a line break make it look wrapped
constexpr std::size_t wrapped_indent = 16;

constexpr auto hex_values = [] {
    std::array<std::int8_t, 256> table{};
    table.fill(-1);
    for (int i = 0; i < 10; ++i) table[static_cast<std::size_t>('0' + i)] = static_cast<std::int8_t>(i);
    for (int i = 0; i < 6; ++i)
        table[static_cast<std::size_t>('a' + i)] = table[static_cast<std::size_t>('A' + i)] =
            static_cast<std::int8_t>(10 + i);
    return table;
}();

int hex(char digit) {
    return hex_values[static_cast<unsigned char>(digit)];
}

/// \uXXXX at `at`, or what is there of it.
struct Unit {
    enum { none, part, whole } kind;
    std::uint32_t code;
};

Unit read_unit(std::string_view text, std::size_t at) {
    constexpr std::string_view mark = "\\u";
    std::uint32_t code = 0;
    for (std::size_t i = 0; i < 6; ++i) {
        if (at + i >= text.size()) return {Unit::part, 0};
        if (i < 2 ? text[at + i] != mark[i] : hex(text[at + i]) < 0) return {Unit::none, 0};
        if (i >= 2) code = code << 4U | static_cast<std::uint32_t>(hex(text[at + i]));
    }
    return {Unit::whole, code};
}

/// A lone surrogate is written as if it were a character: nobody else sees it.
void put_utf8(Element& element, std::uint32_t code) {
    auto const put = [&](std::uint32_t byte) { element.bytes |= byte << 8U * element.made++; };
    if (code < 0x80) return put(code);
    if (code < 0x800) return put(0xc0U | code >> 6U), put(0x80U | (code & 0x3fU));
    if (code < 0x10000)
        put(0xe0U | code >> 12U);
    else
        put(0xf0U | code >> 18U), put(0x80U | (code >> 12U & 0x3fU));
    put(0x80U | (code >> 6U & 0x3fU));
    put(0x80U | (code & 0x3fU));
}

void read_unicode(std::string_view text, std::size_t at, Element& element) {
    auto const [kind, code] = read_unit(text, at);
    element.unfinished = kind == Unit::part;
    if (kind != Unit::whole) return;
    element.taken = 6;
    if ((code & 0xfc00U) != 0xd800U) return put_utf8(element, code);
    auto const low = read_unit(text, at + 6);
    element.unfinished = low.kind == Unit::part;
    bool const paired = low.kind == Unit::whole && (low.code & 0xfc00U) == 0xdc00U;
    if (paired) element.taken = 12;
    put_utf8(element, paired ? 0x10000 + ((code & 0x3ffU) << 10U | (low.code & 0x3ffU)) : code);
}

void put_byte(Element& element, std::uint32_t taken, int byte) {
    element.taken = taken;
    element.bytes = static_cast<std::uint32_t>(byte);
    element.made = 1;
}

constexpr auto json_meanings = [] {
    std::array<char, 256> table{};
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    for (std::size_t i = 0; i < letters.size(); ++i) table[static_cast<unsigned char>(letters[i])] = meanings[i];
    return table;
}();

} // namespace

void read_json(std::string_view text, std::size_t at, Element& element) {
    element.unfinished = at + 1 == text.size();
    if (element.unfinished) return;
    auto const letter = static_cast<unsigned char>(text[at + 1]);
    if (letter == 'u') return read_unicode(text, at, element);
    if (json_meanings[letter] != 0) put_byte(element, 2, json_meanings[letter]);
}

void read_percent(std::string_view text, std::size_t at, Element& element) {
    auto const left = text.size() - at;
    if (left > 1 && hex(text[at + 1]) < 0) return;
    element.unfinished = left < 3;
    if (left < 3 || hex(text[at + 2]) < 0) return;
    put_byte(element, 3, hex(text[at + 1]) * 16 + hex(text[at + 2]));
}

void read_wrap(std::string_view text, std::size_t at, Element& element) {
    if (at < wrapped_line) return;
    auto const line = text.substr(at - wrapped_line, wrapped_line);
    if (!std::all_of(line.rbegin(), line.rend(), is_base64)) return;
    auto end = at + (text[at] == '\r' ? 1 : 0);
    element.unfinished = end == text.size();
    if (element.unfinished || text[end] != '\n') return;
    auto const last = std::min(++end + wrapped_indent, text.size());
    while (end < last && (text[end] == ' ' || text[end] == '\t')) ++end;
    element.taken = static_cast<std::uint32_t>(end - at);
}

std::size_t View::run_of(std::size_t at) const {
    auto const holds = [&](std::size_t i) {
        return i < runs_.size() && runs_[i].view <= at && (i + 1 == runs_.size() || at < runs_[i + 1].view);
    };
    if (holds(cursor_)) return cursor_;
    if (holds(cursor_ + 1)) return ++cursor_;
    auto const after = std::upper_bound(runs_.begin(), runs_.end(), at,
                                        [](std::size_t place, Run const& run) { return place < run.view; });
    return cursor_ = static_cast<std::size_t>(after - runs_.begin()) - 1;
}

Span View::origin(std::size_t at) const {
    return maker_ == nullptr ? Span{offset_ + at, offset_ + at + 1} : maker_->origin(at);
}

} // namespace pfar::base::redaction
