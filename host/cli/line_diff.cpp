// The longest common subsequence, by the plain table; texts too large for it are shown whole, the old one and then the new one.
#include "cli/line_diff.hpp"

#include <algorithm>
#include <cstdint>

namespace pfar::cli {
namespace {

using Lines = std::vector<std::string_view>;
constexpr std::size_t most_cells = 4'000'000, around = 2;

struct Line {
    char mark;
    std::string_view text;
};

/// How long the common rest is from each pair of places.
std::vector<std::uint32_t> common_rests(Lines const& before, Lines const& now) {
    auto const width = now.size() + 1;
    std::vector<std::uint32_t> table((before.size() + 1) * width);
    for (auto i = before.size(); i-- > 0;)
        for (auto j = now.size(); j-- > 0;)
            table[i * width + j] = before[i] == now[j] ? table[(i + 1) * width + j + 1] + 1
                                                       : std::max(table[(i + 1) * width + j], table[i * width + j + 1]);
    return table;
}

std::vector<Line> marked(Lines const& before, Lines const& now) {
    std::vector<Line> out;
    std::size_t i = 0, j = 0;
    auto const width = now.size() + 1;
    bool const fits = before.size() < most_cells / width;
    auto const rests = fits ? common_rests(before, now) : std::vector<std::uint32_t>();
    while (i < before.size() || j < now.size()) {
        if (fits && i < before.size() && j < now.size() && before[i] == now[j])
            out.push_back({' ', now[j]}), ++i, ++j;
        else if (j == now.size() ||
                 (i < before.size() && (!fits || rests[(i + 1) * width + j] >= rests[i * width + j + 1])))
            out.push_back({'-', before[i++]});
        else
            out.push_back({'+', now[j++]});
    }
    return out;
}

bool is_near_a_change(std::vector<Line> const& lines, std::size_t at) {
    auto const begin = at - std::min(at, around), end = std::min(lines.size(), at + around + 1);
    return std::any_of(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                       lines.begin() + static_cast<std::ptrdiff_t>(end),
                       [](auto const& line) { return line.mark != ' '; });
}

} // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        out.push_back(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(text.size(), out.back().size() + 1));
    }
    return out;
}

std::string line_diff(Lines const& before, Lines const& now) {
    auto const lines = marked(before, now);
    std::string out;
    bool gap = false;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        if (!is_near_a_change(lines, at)) {
            gap = !out.empty();
            continue;
        }
        if (std::exchange(gap, false)) out += "  ...\n";
        out.append(1, lines[at].mark).append(" ").append(lines[at].text).append("\n");
    }
    return out;
}

} // namespace pfar::cli
