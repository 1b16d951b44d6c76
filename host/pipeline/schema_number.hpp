// Numbers as JSON writes them, of any size, exactly: 1, 1.0 and 10e-1 are the same integer, and 0.3 is a multiple of 0.1.
#pragma once

#include <cstdint>
#include <string_view>

namespace pfar::pipeline::schemas {

bool is_integer(std::string_view number);

/// Below, at or above 0, as `a` is to `b`.
int compare(std::string_view a, std::string_view b);

/// `of` is above 0 and has at most 18 digits, zeros at its ends aside.
bool is_multiple(std::string_view number, std::string_view of);
bool may_divide(std::string_view of);

/// The same for numbers that are equal.
std::uint64_t hash_of_number(std::string_view number);

} // namespace pfar::pipeline::schemas
