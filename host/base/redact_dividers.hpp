// Dividers: escapes that no match can contain, whatever is undone later, so that they need not be undone: what stands on both sides of one
// is looked at by itself. Most escapes of a text are quotation marks and line breaks, and hardly any secret has those.
//
// Only a byte that occurs in no spelling divides, and only if it means nothing to a later step: not as a part of another escape, not as a
// neighbour of base64, not as the line break or the indent of wrapped base64.
#pragma once

#include "base/redact_escapes.hpp"
#include "base/redact_spellings.hpp"

#include <algorithm>

namespace pfar::base::redaction {

class Dividers {
public:
    enum class Role : std::uint8_t { undone, divides, line_break, blank };

    Dividers() {
        roles_.fill(Role::divides);
        for (unsigned byte = 0; byte < 256; ++byte)
            if (is_base64(static_cast<char>(byte))) roles_[byte] = Role::undone;
        take_out("\\%=");
        roles_['\n'] = roles_['\r'] = Role::line_break;
        roles_['\t'] = roles_[' '] = Role::blank;
    }
    ~Dividers() { ::explicit_bzero(roles_.data(), sizeof roles_); }
    Dividers(Dividers const&) = default;
    Dividers& operator=(Dividers const&) = default;

    /// A quotation mark may end an escape that begins with a backslash; that matters only where a backslash does.
    void add(std::string_view spelling) {
        take_out(spelling);
        if (spelling.find('\\') != spelling.npos) take_out("\"");
    }

    /// Of the short JSON escape with this letter; what is none is undone, that is, left to those who know.
    [[nodiscard]] Role role_of(char letter) const {
        auto const meaning = json_meanings[static_cast<unsigned char>(letter)];
        return meaning == 0 ? Role::undone : roles_[static_cast<unsigned char>(meaning)];
    }
    [[nodiscard]] Role role_of(Element const& element) const {
        if (element.made == 1) return roles_[element.bytes & 0xffU];
        for (unsigned i = 0; i < element.made; ++i)
            if (roles_[element.bytes >> 8 * i & 0xffU] != Role::divides) return Role::undone;
        return Role::divides;
    }

private:
    void take_out(std::string_view bytes) {
        for (char const byte : bytes) roles_[static_cast<unsigned char>(byte)] = Role::undone;
    }

    std::array<Role, 256> roles_; // by what an escape stands for
};

} // namespace pfar::base::redaction
