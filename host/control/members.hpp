// JSON as it is written: what is passed on byte for byte, numbers of any size included, is cut and not parsed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pfar::control {

/// A member's key, without escapes, and its value as written.
using Member = std::pair<std::string, std::string_view>;

/// In their order; none if it is no object, or no whole JSON. [any thread, as all of it]
std::optional<std::vector<Member>> members_of(std::string_view json);
/// The value of one; empty if there is none.
std::string_view member_of(std::string_view json, std::string_view key);
/// The elements of an array; none if it is none.
std::vector<std::string_view> elements_of(std::string_view json);
/// The value of a string; empty if it is none.
std::string string_in(std::string_view json);
/// `text` as a string, with quotation marks.
std::string quoted(std::string_view text);
/// True if `text` is one whole JSON value.
bool is_json(std::string_view text);

} // namespace pfar::control
