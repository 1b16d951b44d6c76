// Changes to a server file that keep everything else of it: comments, order, spaces, line ends.
#pragma once

#include "config/server_file.hpp"

#include <pfar/result.hpp>

namespace pfar::config {

/// `text` with `rule` behind the others of its top-level allowed_domains; the key is written where there was none. The result was read again and
/// says exactly what it said before, and this. Errc::invalid if `text` has mistakes; Errc::unsupported, with the line to write by hand, for a
/// list that is written too unusually. Pure. [any thread]
Result<std::string> add_domain(std::string const& text, DomainRule const& rule, FileContext context);

} // namespace pfar::config
