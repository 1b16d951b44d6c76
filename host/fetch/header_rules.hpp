// Which header fields an agent may send: not those that say who it is, where the request ends, or what it really does.
#pragma once

#include <pfar/result.hpp>

#include <string_view>

namespace pfar::fetch {

/// RFC 9110's token.
bool is_field_name(std::string_view text);
/// No line break and no other control character but the tab.
bool is_field_value(std::string_view text);
bool is_same_field(std::string_view a, std::string_view b);

/// Errc::refused for a field that is pfar's or the connection's own. `auth` is the one with the token.
Result<void> check_field(std::string_view name, std::string_view value, std::string_view auth);

} // namespace pfar::fetch
