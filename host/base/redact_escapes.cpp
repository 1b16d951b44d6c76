// The escapes that are rare, or take some looking around.
#include "base/redact_escapes.hpp"

#include "base/redact_spellings.hpp"

#include <algorithm>

namespace pfar::base::redaction {
namespace {

constexpr std::size_t wrapped_indent = 16;

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

} // namespace

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

} // namespace pfar::base::redaction
