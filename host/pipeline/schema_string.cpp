// What a JSON string says. The scanner has seen it, so every escape is whole.
#include "pipeline/schema_tree.hpp"

namespace pfar::pipeline::schemas {
namespace {

void append_utf8(std::string& out, unsigned code) {
    auto const tail = [&](unsigned shift) { out += static_cast<char>(0x80U | (code >> shift & 0x3fU)); };
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xc0U | code >> 6U), tail(0);
    } else if (code < 0x10000) {
        out += static_cast<char>(0xe0U | code >> 12U), tail(6), tail(0);
    } else {
        out += static_cast<char>(0xf0U | code >> 18U), tail(12), tail(6), tail(0);
    }
}

unsigned four_digits(std::string_view text) {
    unsigned out = 0;
    for (char const c : text.substr(0, 4))
        out = out * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : (static_cast<unsigned char>(c) | 0x20) - 'a' + 10);
    return out;
}

/// `text` begins behind "\u". How many bytes of it were taken.
std::size_t append_character(std::string& out, std::string_view text) {
    auto const first = four_digits(text);
    bool const may_pair = first >= 0xd800 && first < 0xdc00 && text.substr(4).starts_with("\\u");
    auto const second = may_pair ? four_digits(text.substr(6)) : 0;
    if (second < 0xdc00 || second >= 0xe000) return append_utf8(out, first), 4;
    append_utf8(out, 0x10000 + ((first - 0xd800) << 10U) + (second - 0xdc00));
    return 10;
}

char meant_by(char escape) {
    switch (escape) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return escape;
    }
}

} // namespace

std::string_view Value::string(std::string& kept) const {
    auto rest = written();
    if (cell().escaped == 0) return rest;
    kept.clear();
    while (!rest.empty()) {
        auto const plain = std::min(rest.find('\\'), rest.size());
        kept.append(rest.substr(0, plain));
        rest.remove_prefix(plain);
        if (rest.empty()) break;
        if (rest[1] != 'u')
            kept += meant_by(rest[1]), rest.remove_prefix(2);
        else
            rest.remove_prefix(2 + append_character(kept, rest.substr(2)));
    }
    return kept;
}

std::string Value::text() const {
    std::string kept;
    return std::string(string(kept));
}

std::optional<Value> Value::find(std::string_view name) const {
    if (!is(Kind::object)) return {};
    std::string kept;
    for (auto const [key, value] : members())
        if (key.may_say(name.size()) && key.string(kept) == name) return value;
    return {};
}

} // namespace pfar::pipeline::schemas
