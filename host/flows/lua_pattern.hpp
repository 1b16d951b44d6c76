// Lua 5.4's patterns, matched by our own code: every step is counted, so that no pattern takes longer than its script may.
//
// Plain data without a destructor: Lua's errors jump over the frames that use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pfar::flows {

class PatternMatcher {
public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    static constexpr std::size_t still_open = none - 1; // size of a capture whose ) was not reached
    static constexpr std::size_t position = none - 2;   // size of a capture (): where it is, not what
    struct Capture {
        std::size_t begin, size;
    };

    /// `steps` is counted down; at 0 matching stops, and exhausted() is true.
    PatternMatcher(std::string_view text, std::string_view pattern, std::uint64_t& steps)
        : text_(text), pattern_(pattern), steps_(&steps) {}

    /// What is wrong with the pattern, wherever it stands; null if nothing is.
    char const* fault();
    /// Where the match that begins at `at` ends; none if there is none, or if it was stopped.
    std::size_t match_at(std::size_t at);

    /// What is wrong with the pattern, or null.
    [[nodiscard]] char const* mistake() const { return mistake_; }
    [[nodiscard]] bool exhausted() const { return exhausted_; }
    [[nodiscard]] bool stopped() const { return exhausted_ || mistake_ != nullptr; }
    [[nodiscard]] int captures() const { return level_; }
    [[nodiscard]] Capture const& capture(int number) const { return captures_[number]; }

private:
    std::size_t follow(std::size_t at, std::size_t in);
    std::size_t walk(std::size_t at, std::size_t in);
    std::size_t suffixed(std::size_t at, std::size_t in, std::size_t after);
    std::size_t special(std::size_t at, std::size_t& in);
    std::size_t open(std::size_t at, std::size_t in);
    std::size_t close(std::size_t at, std::size_t in);
    std::size_t balanced(std::size_t at, std::size_t in);
    std::size_t frontier(std::size_t at, std::size_t& in);
    std::size_t repeated(std::size_t at, char digit);
    std::size_t most(std::size_t at, std::size_t in, std::size_t after);
    std::size_t least(std::size_t at, std::size_t in, std::size_t after);
    std::size_t item_end(std::size_t in);
    bool single(std::size_t at, std::size_t in, std::size_t after);
    bool in_set(unsigned char c, std::size_t in, std::size_t last);
    bool step(std::uint64_t many = 1);
    std::size_t wrong(char const* words);

    static constexpr int most_captures = 32;
    std::string_view text_, pattern_;
    std::uint64_t* steps_;
    char const* mistake_ = nullptr;
    bool exhausted_ = false;
    int depth_ = 0, level_ = 0;
    Capture captures_[most_captures]{};
};

} // namespace pfar::flows
