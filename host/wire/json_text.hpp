// Parts of JSON texts, found without building a tree of the whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::wire {

/// The text of a member of an object; empty if there is none, or no object.
std::string_view member_of(std::string_view json, std::string_view key);
/// The texts of an array's elements; empty if it is none. Above `most` the rest is left out.
std::vector<std::string_view> elements_of(std::string_view json, std::size_t most);
/// A whole number that is not negative.
std::optional<std::uint64_t> number_in(std::string_view json);
/// The value of a JSON string; empty if it is none.
std::string string_in(std::string_view json);
/// What a JSON-RPC error object says, safe to show: "message (code)".
std::string error_words(std::string_view error);
/// file:///a%20b
std::string file_uri(std::string_view path);

} // namespace pfar::wire
