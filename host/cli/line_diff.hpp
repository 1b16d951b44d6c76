// What differs between two texts, line by line, for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pfar::cli {

std::vector<std::string_view> lines_of(std::string_view text);

/// Lines that went begin with "- ", new ones with "+ ", and up to two on either side of them with "  ". Empty if nothing differs. Pure.
std::string line_diff(std::vector<std::string_view> const& before, std::vector<std::string_view> const& now);

} // namespace pfar::cli
