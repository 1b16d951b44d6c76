// The names and addresses of the world that the tests live in, and which of them a confined program may have to do with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace test {

/// A name's addresses by its table: IPv4 and IPv6 texts. A name that is not there is evil's, at 203.0.113.66.
/// `asked` counts the questions for this name before: a rebinding name answers differently later.
std::vector<std::string> addresses_of(std::string const& name, unsigned asked);

/// Every address that the world's only interface has.
std::vector<std::string> const& own_addresses();
/// Those of peers that somebody may be allowed to reach.
bool is_good_address(std::string_view address);
/// Names in the table in any case of letters, but for those that nobody has a reason to look up.
bool is_good_name(std::string_view said);
/// Such an address with a port that some test allows: a database has its own.
bool is_good_place(std::string_view address, unsigned port);

} // namespace test
