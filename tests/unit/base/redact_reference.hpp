// Redaction in the slow obvious way: every spelling, at every place of every view, compared byte by byte. And ways to write a secret.
#pragma once

#include "base/redact.hpp"

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace test {

using Secrets = std::vector<std::pair<std::string, std::string>>; // name, value

pfar::base::Redactor redactor_for(Secrets const& secrets);

/// What Redactor::redact would make of it; the text itself if nothing is found.
std::string slowly_redacted(std::string_view text, Secrets const& secrets);

/// True if any spelling of any of them is left in what stands between the labels.
bool has_leak(std::string_view text, Secrets const& secrets);

/// With padding.
std::string base64(std::string_view bytes);

/// An endless row of choices: random ones, or those of a fuzzer.
class Choices {
public:
    virtual ~Choices() = default;
    /// Less than `limit`.
    virtual std::size_t below(std::size_t limit) = 0;
    std::string text(std::string_view alphabet, std::size_t size);
};

class Random : public Choices {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    std::size_t below(std::size_t limit) override { return limit == 0 ? 0 : engine_() % limit; }

private:
    std::mt19937 engine_;
};

/// `value` in one of the ways that must be found, with something around it where base64 needs that.
std::string written(std::string const& value, Choices& choices);

/// As in a JSON string, without the quotation marks; some characters are escaped that need not be.
std::string json_escaped(std::string_view text, Choices& choices);

} // namespace test
