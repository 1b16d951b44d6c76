// JSON as editors permit it, with comments and commas at the end: where its parts stand, so that one can be exchanged and every other byte stays as it is.
#pragma once

#include <pfar/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace pfar::config {

/// A view of the text it was found in.
struct JsoncMember {
    std::string key; // decoded
    std::string_view value;
    [[nodiscard]] bool is_object() const { return value.starts_with('{'); }
};

/// The outermost value, without what stands around it. Errc::invalid with line and column if the text is not one whole value, or nested deeper than
/// 64; what stands there is never repeated. Pure. [any thread]
Result<std::string_view> jsonc_value(std::string_view text);

/// The members of an object that jsonc_value or this function found; none if it is no object.
std::vector<JsoncMember> jsonc_members(std::string_view object);

} // namespace pfar::config
