// Pattern: a regular expression out of a schema, matched by RE2 in time that is linear in the text, with bounded memory.
//
// Schemas write the dialect of ECMA-262. What means something else to RE2 is written anew (\s, \uXXXX, [^], the dot...); what RE2 cannot do in linear
// time (lookaheads, references back) is refused.
#pragma once

#include <pfar/result.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace pfar::pipeline::schemas {

inline constexpr std::size_t most_pattern_bytes = 2000;

class Pattern {
public:
    /// Errc::unsupported with RE2's reason.
    static Result<Pattern> compile(std::string_view ecma);
    ~Pattern();
    Pattern(Pattern&&) noexcept;
    Pattern& operator=(Pattern&&) noexcept;

    /// Anywhere in it, as JSON Schema has it. [any thread]
    [[nodiscard]] bool found_in(std::string_view text) const;
    /// What matching `bytes` of text may cost at worst, in steps of a Budget.
    [[nodiscard]] std::uint64_t cost(std::size_t bytes) const;
    [[nodiscard]] std::string const& written() const { return written_; }

private:
    Pattern(std::string_view ecma, std::unique_ptr<re2::RE2> compiled);

    std::string written_;
    std::unique_ptr<re2::RE2> compiled_;
};

/// The same in RE2's dialect; what is not known is left to RE2 to judge.
std::string for_re2(std::string_view ecma);

} // namespace pfar::pipeline::schemas
