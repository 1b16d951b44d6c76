// What a server said while a host ran, read without one.
#pragma once

#include <pfar/result.hpp>

#include <string>
#include <vector>

namespace pfar::house {

/// The last lines, oldest first, of the server of that name as seen from the current directory. [main thread, may block]
Result<std::vector<std::string>> kept_log(std::string const& server, std::size_t lines);

} // namespace pfar::house
