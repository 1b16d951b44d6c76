// What `pfar allow` does: adds a domain to a server's file.
#pragma once

#include "config/domain_rule.hpp"
#include "house/house.hpp"

namespace pfar::house {

struct Allowed {
    std::filesystem::path file; // the one that was found; if that is a link, the file behind it was changed
    bool changed;               // false: it could be reached already
};

/// A project's file that was trusted stays trusted with exactly this change: the owner made it. Errors as find_server's and config::add_domain's, and
/// Errc::refused with the remedy for a file that may not be written. [main thread, may block]
Result<Allowed> allow_domain(House const& house, std::string const& server, config::DomainRule const& rule);

} // namespace pfar::house
