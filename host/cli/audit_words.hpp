// A line of the record as people read it.
#pragma once

#include "cli/console.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace pfar::cli {

/// All of it safe to show.
struct AuditRow {
    std::string time;    // by the local clock
    std::string kind;    //
    std::string subject; // server.tool, server, or vault:entry
    std::string outcome; // or what was done
    std::string session; //
    std::string what;    // the rest, as half a sentence
};

/// Knows what pfar writes; of an event that it does not know it lists the members. `line` is the same as it stands in the record. [any thread]
AuditRow audit_row(std::string_view line, boost::json::object const& event);

Colour colour_of(std::string_view outcome);

} // namespace pfar::cli
