// Finding by words: pure, so that the order of answers can be stated in a table.
#pragma once

#include <pfar/server_registry.hpp>

namespace pfar::registry_known {

/// One spelling of a name: lower case, and one - for spaces and underscores. "Google  Drive" -> "google-drive".
std::string folded(std::string_view name);

/// By name or alias; `folded_name` as folded() makes it.
bool is_called(KnownServer const& server, std::string const& folded_name);

/// Those in which every word of `words` occurs, upper or lower case. Who is called just that comes first; a word in the name
/// counts for more than one in an alias, that for more than one in title or description; equals stay in their order. No words:
/// nothing.
std::vector<KnownServer> matching(std::vector<KnownServer> const& servers, std::string const& words);

} // namespace pfar::registry_known
