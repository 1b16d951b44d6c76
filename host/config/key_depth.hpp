// Finds keys of very many parts (a.a.a.a...) in TOML text, before the TOML library sees it.
//
// toml++ bounds the depth of values but not of keys, and its tree is taken down recursively: such a file would overflow the stack.
#pragma once

#include <cstddef>
#include <string_view>

namespace pfar::config {

inline constexpr int deepest_key = 16;

/// The place of the first key with more parts than that; npos if there is none. Pure. [any thread]
std::size_t find_deep_key(std::string_view text);

} // namespace pfar::config
