// What tools say of themselves now and said when they were agreed to, as people can read it.
#pragma once

#include <string>
#include <string_view>

namespace pfar::cli {

/// Each change with what differs, member by member. `changes`: the host's array. Pure.
std::string changes_text(std::string_view server, std::string_view changes);

/// {"tool": "digest", ...} of exactly these.
std::string pins_of(std::string_view changes);

} // namespace pfar::cli
