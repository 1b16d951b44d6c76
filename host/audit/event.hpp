// Event: one thing that happened, as whoever saw it tells it.
#pragma once

#include "base/redact.hpp"

#include <boost/json/object.hpp>

#include <memory>
#include <string>

namespace pfar::audit {

struct Event {
    std::string kind;            // such as "egress"
    boost::json::object details; // server, outcome, domain, ...; a key that the record needs itself gets a _ behind it
    /// Members that are JSON already, `"arguments":{"a":1},"ms":3`, put behind the details without being parsed. They are valid, on one line, and have no
    /// key that the record needs itself: whoever gives them vouches for it.
    std::string members{};
    bool urgent = false;                              // written at once, and everything that waits with it
    std::shared_ptr<base::Redactor const> redactor{}; // what it finds is not written; null: nothing is looked for
};

} // namespace pfar::audit
