// Redaction: secrets that the host gave to a server are taken out of what the server says, against accidental echo.
//
// A secret is found as it is, in base64 at any alignment and in both alphabets, also wrapped, and URL-encoded or JSON-escaped in any
// dialect; only a whole one. It is replaced by [redacted:NAME]; where two overlap, by the name of the leftmost, then longest, and nothing
// of either remains. Everything else passes byte for byte. Time is linear in the text, whatever it says; the values are not kept.
#pragma once

#include <pfar/secret.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::base {

namespace redaction {
class Finder;
}

class Redactor {
public:
    struct Known {
        std::string name;
        Secret const* value;
    };

    /// The values are needed only during the call. Empty ones are ignored; short ones are redacted wherever they occur.
    explicit Redactor(std::vector<Known> const& secrets);
    /// All that any of these finds.
    explicit Redactor(std::vector<std::shared_ptr<Redactor const>> parts);
    Redactor(Redactor&&) noexcept;
    Redactor& operator=(Redactor&&) noexcept;
    ~Redactor();

    /// True if there is nothing to find.
    [[nodiscard]] bool empty() const;

    /// Text as people read it. None: nothing to change, the common case. [any thread]
    [[nodiscard]] std::optional<std::string> redact(std::string_view text) const;

    /// JSON, or lines of it: stays JSON. What is changed in a string stays within it; a number or a structure that is a secret becomes
    /// a string. What is no JSON is treated as text. [any thread]
    [[nodiscard]] std::optional<std::string> redact_json(std::string_view json) const;

private:
    friend class RedactingStream;
    using Redact = std::optional<std::string> (Redactor::*)(std::string_view) const;
    [[nodiscard]] std::optional<std::string> by_parts(std::string_view text, Redact how) const;

    std::vector<std::shared_ptr<Redactor const>> parts_;
    std::unique_ptr<redaction::Finder> finder_;
    std::vector<std::string> labels_; // what stands in the place of each
};

} // namespace pfar::base
