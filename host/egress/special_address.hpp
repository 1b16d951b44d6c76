// Which addresses lie behind the owner's door rather than out in the world.
#pragma once

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <string_view>

namespace pfar::egress {

/// "a private address" and the like; none for one that belongs to the world (documentation ranges do). Pure. [any thread]
std::optional<std::string_view> special(boost::asio::ip::address const& address);

} // namespace pfar::egress
