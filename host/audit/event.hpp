// Event: one thing that happened, as whoever saw it tells it.
#pragma once

#include <boost/json/object.hpp>

#include <string>

namespace pfar::audit {

struct Event {
    std::string kind;            // such as "egress"
    boost::json::object details; // server, outcome, domain, ...; a key that the record needs itself gets a _ behind it
};

} // namespace pfar::audit
