// Filter: what the lines of the record that somebody wants to see are about.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace pfar::audit {

struct Filter {
    std::string server{}, tool{}, session{}, kind{}, outcome{}; // empty: any; a tool is TOOL or SERVER.TOOL
};

bool matches(Filter const& filter, boost::json::object const& event);

/// A member's text; empty if there is none, or it is something else.
std::string_view text_in(boost::json::object const& event, std::string_view key);

} // namespace pfar::audit
