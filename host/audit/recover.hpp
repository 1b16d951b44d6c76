// Recovery: where the record goes on, whatever the last writer left behind. Called under the lock.
//
// Lines behind the head that follow it are adopted (their writer died before it wrote the head). Behind those, what was never
// confirmed to anybody is cut off: a part of a line, or what a power failure made of some (that is kept in a file cut-N). What was confirmed and is not there any more,
// or does not fit, is left as evidence: the chain goes on from the head in a new file, and verify finds the gap for ever.
#pragma once

#include "audit/event.hpp"
#include "audit/walk.hpp"

namespace pfar::audit {

struct Recovered {
    Head head;                  // `file` may not be there yet
    std::optional<Event> event; // what to write down about it, if anything was out of order
};

/// [may block]
Result<Recovered> recover(std::filesystem::path const& directory, Key const& key);

} // namespace pfar::audit
