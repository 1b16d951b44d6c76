// Escapes one by one, and the way back from a view to the text.
#include "base/redact_view.hpp"

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
    auto const put = [&](std::uint32_t byte) { element.bytes[element.made++] = static_cast<char>(byte); };
    if (code < 0x80) return put(code);
    if (code < 0x800) return put(0xc0U | code >> 6U), put(0x80U | (code & 0x3fU));
    if (code < 0x10000)
        put(0xe0U | code >> 12U);
    else
        put(0xf0U | code >> 18U), put(0x80U | (code >> 12U & 0x3fU));
    put(0x80U | (code >> 6U & 0x3fU));
    put(0x80U | (code & 0x3fU));
}

Element read_unicode(std::string_view text, std::size_t at) {
    Element element;
    auto const [kind, code] = read_unit(text, at);
    element.unfinished = kind == Unit::part;
    if (kind != Unit::whole) return element;
    element.taken = 6;
    if ((code & 0xfc00U) != 0xd800U) return put_utf8(element, code), element;
    auto const low = read_unit(text, at + 6);
    element.unfinished = low.kind == Unit::part;
    bool const paired = low.kind == Unit::whole && (low.code & 0xfc00U) == 0xdc00U;
    if (paired) element.taken = 12;
    put_utf8(element, paired ? 0x10000 + ((code & 0x3ffU) << 10U | (low.code & 0x3ffU)) : code);
    return element;
}

} // namespace

Element read_json(std::string_view text, std::size_t at) {
    if (at + 1 == text.size()) return {.unfinished = true};
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    auto const letter = text[at + 1];
    if (letter == 'u') return read_unicode(text, at);
    auto const place = letters.find(letter);
    if (place == std::string_view::npos) return {};
    return {2, 1, false, {meanings[place]}};
}

Element read_percent(std::string_view text, std::size_t at) {
    auto const left = text.size() - at;
    if (left > 1 && hex(text[at + 1]) < 0) return {};
    if (left < 3) return {.unfinished = true};
    if (hex(text[at + 2]) < 0) return {};
    return {3, 1, false, {static_cast<char>(hex(text[at + 1]) * 16 + hex(text[at + 2]))}};
}

Element read_wrap(std::string_view text, std::size_t at) {
    if (at < wrapped_line) return {};
    auto const line = text.substr(at - wrapped_line, wrapped_line);
    if (!std::all_of(line.rbegin(), line.rend(), is_base64)) return {};
    auto end = at + (text[at] == '\r' ? 1 : 0);
    if (end == text.size()) return {.unfinished = true};
    if (text[end] != '\n') return {};
    auto const last = std::min(++end + wrapped_indent, text.size());
    while (end < last && (text[end] == ' ' || text[end] == '\t')) ++end;
    return {static_cast<std::uint8_t>(end - at), 0, false, {}};
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
    if (runs_.empty()) return {offset_ + at, offset_ + at + 1};
    auto const& run = runs_[run_of(at)];
    auto const begin = run.begin + (at - run.view) * run.stride;
    return {begin, begin + run.length};
}

void View::add_run(Run const& run) {
    if (!runs_.empty()) {
        auto const& last = runs_.back();
        bool const continues = last.stride == run.stride && last.length == run.length && run.stride != 0 &&
                               last.begin + (run.view - last.view) * last.stride == run.begin;
        if (continues) return;
    }
    runs_.push_back(run);
}

} // namespace pfar::base::redaction
