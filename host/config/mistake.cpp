// The layout follows compilers, because editors and people know how to read it.
#include "config/mistake.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::config {
namespace {

constexpr std::size_t widest = 160;

/// A line of 100 KB is not worth quoting whole. Never cuts a character in two.
std::string shortened(std::string line) {
    if (line.size() <= widest) return line;
    auto end = widest;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80) --end;
    line.resize(end);
    return line.append("...");
}

/// The line and a row of ^ below the offending part; nothing for a mistake that has no line.
std::string excerpt(Mistake const& mistake) {
    if (mistake.where.line == 0 || mistake.text.empty()) return {};
    auto const line = shortened(mistake.text);
    auto const column = mistake.where.column;
    auto out = fmt::format("  {:>4} | {}\n", mistake.where.line, line);
    if (column == 0 || column > line.size()) return out;
    auto const length = std::clamp<std::size_t>(mistake.where.length, 1, line.size() + 1 - column);
    return out + fmt::format("  {:>4} | {}{}\n", "", std::string(column - 1, ' '), std::string(length, '^'));
}

/// Several lines are indented alike, below the word.
std::string field(std::string_view name, std::string text) {
    if (text.empty()) return {};
    for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
        text.insert(at + 1, "         ");
    return fmt::format("    {}: {}\n", name, text);
}

} // namespace

std::string describe(std::filesystem::path const& file, Mistake const& mistake) {
    auto const place = mistake.where.line == 0
                           ? file.native()
                           : fmt::format("{}:{}:{}", file.native(), mistake.where.line, mistake.where.column);
    auto const kind = mistake.severity == Severity::error ? "error" : "warning";
    return fmt::format("{}: {}: {}\n", place, kind, mistake.what) + excerpt(mistake) +
           field("expected", mistake.expected) + field("fix", mistake.fix);
}

std::size_t count(std::vector<Mistake> const& mistakes, Severity severity) {
    return static_cast<std::size_t>(std::count_if(mistakes.begin(), mistakes.end(),
                                                  [=](auto const& mistake) { return mistake.severity == severity; }));
}

} // namespace pfar::config
