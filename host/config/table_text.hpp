// A server file from a table of the same shape, as scripts write one: the keys of the documentation, in its order.
#pragma once

#include <pfar/result.hpp>

#include <boost/json/object.hpp>

#include <string>

namespace pfar::config {

/// What the table says, as TOML; what it means is for read_server_file to judge. Nulls are left out. Errc::invalid for what TOML has no word for.
/// Pure. [any thread]
Result<std::string> table_text(boost::json::object const& table);

} // namespace pfar::config
