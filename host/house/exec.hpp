// Runs a wish in the foreground, as if it were a plain command: its streams, its signals, its exit code.
#pragma once

#include "egress/ledger.hpp"
#include "house/house.hpp"
#include "servers/wish.hpp"

#include <functional>
#include <string>
#include <vector>

namespace pfar::house {

struct ExecEnd {
    int code = 0;                           // the command's own; 128 + signal if it was killed
    std::string trouble;                    // a sentence if it was ended for want of memory, or never ran
    std::vector<egress::Blocked> blocked{}; // where it was not let go
};

/// `warn` hears, before it runs, of promises that are not kept here. An error if it could not be started. [main thread, may block until it ends]
Result<ExecEnd> exec(House const& house, servers::Wish wish, std::function<void(std::string const&)> const& warn);

} // namespace pfar::house
