// Redaction of bytes that come in chunks, cut anywhere: what comes out is what Redactor::redact makes of the whole.
//
// It holds back only what may still become a match, and the word in front of that, because it decides how the next bytes are read.
#pragma once

#include "base/redact.hpp"

namespace pfar::base {

class RedactingStream {
public:
    /// `redactor` must outlive it.
    explicit RedactingStream(Redactor const& redactor) : redactor_(&redactor) {}
    /// What can be passed on now.
    [[nodiscard]] std::string feed(std::string_view chunk);
    /// The rest, when no more bytes come. After it the stream begins anew.
    [[nodiscard]] std::string finish();
    /// How many bytes wait for what comes next.
    [[nodiscard]] std::size_t held() const { return buffer_.size(); }

private:
    struct Sure {
        std::size_t begin, end, secret;
    };
    std::string release(bool open);

    Redactor const* redactor_;
    std::string buffer_;
    std::size_t looked_at_ = 0; // of the buffer, without a decision
    std::vector<Sure> sure_;    // found in it already: what made it recognisable may be gone the next time
    std::size_t swallowed_ = 0; // so much of it belongs to a match whose label has been passed on
};

} // namespace pfar::base
