// Finds what g++ 12 gets wrong around co_await: braces inside the expression (a temporary made there is destroyed twice), a
// negated co_await in a condition (crashes or hangs in a coroutine that has no local variable before it), and one that is a side of a choice
// (c ? co_await a : co_await b: the result is destroyed twice).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace test {

/// The line of each co_await that is preceded by !, or by ? or : of a choice, or whose expression contains a brace, outside strings and comments.
std::vector<int> co_await_traps(std::string_view text);

} // namespace test
