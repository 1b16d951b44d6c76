// Finding by words: pure, so that the order of answers can be stated in a table.
#pragma once

#include <pfar/server_registry.hpp>

namespace pfar::registry_known {

/// Those in which every word of `words` occurs, upper or lower case. A word in the name counts for more than one in an alias,
/// that for more than one in title or description; equals stay in their order. No words: nothing.
std::vector<KnownServer> matching(std::vector<KnownServer> const& servers, std::string const& words);

} // namespace pfar::registry_known
