// Finds braces inside co_await expressions: g++ 12 destroys a temporary that is made there twice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace test {

/// The line of each co_await whose expression contains a brace outside strings and comments.
std::vector<int> braces_in_co_await(std::string_view text);

} // namespace test
