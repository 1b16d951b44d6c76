// The ways in which a secret is written: as it is, and in base64 at every alignment and in both alphabets.
//
// URL-encoding, JSON escapes and line breaks within base64 have too many dialects to list; they are undone on the side of the text
// (redact_view.hpp).
#pragma once

#include "base/redact_fingerprint.hpp"

#include <functional>

namespace pfar::base::redaction {

struct Spelling {
    std::string_view bytes;
    bool base64 = false;
    bool left = false;  // the character before it carries bits of the secret too
    bool right = false; // and the one after it
};

/// Letters and digits of both base64 alphabets, without the padding.
bool is_base64(char character);

/// Undoes one level of URL-encoding; what is no escape stays.
WipedVector<char> percent_decoded(std::string_view text);

/// Calls `take` for each way; the bytes are wiped after the call. Line breaks at the end of a value are no part of the secret.
void each_spelling(std::string_view value, std::function<void(Spelling const&)> const& take);

} // namespace pfar::base::redaction
