// What tools and prompts are called towards agents: SERVER__TOOL, in the characters and the length that model APIs take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pfar::pipeline {

inline constexpr std::size_t most_name = 50;

/// One for each of `names`, in their order; two are never equal. Pure: the same names always get the same.
std::vector<std::string> public_names(std::string_view server, std::vector<std::string> const& names);

/// "notion__search" and "notion.search" as server and the rest; both empty if it has no server in it.
struct Split {
    std::string_view server, rest;
    bool people = false; // with a dot: the rest is the tool's own name
};
Split split_name(std::string_view name);

} // namespace pfar::pipeline
