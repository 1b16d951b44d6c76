// All secrets in a text, through all views of it: JSON escapes (three times: JSON in a string of JSON is how tools answer, and they may
// have got it so), then URL-encoding, then wrapped base64, each undone or not.
#pragma once

#include "base/redact_dividers.hpp"
#include "base/redact_matcher.hpp"

namespace pfar::base::redaction {

class Finder {
public:
    Finder();
    void add(std::string_view value, std::size_t secret);
    /// After the last `add`.
    void seal();
    [[nodiscard]] bool empty() const { return all_.longest() == 0; }
    /// `open`: more text may follow; then what is found from `held()` on is not final. [any thread]
    [[nodiscard]] Findings find(std::string_view text, bool open) const;

private:
    void examine(View const& view, std::size_t step, Findings& found) const;
    void scan_text(std::string_view text, bool open, Findings& found) const;

    Residue base_;
    Matcher all_;
    Matcher base64_; // what line breaks may be in
    Dividers dividers_;
};

} // namespace pfar::base::redaction
