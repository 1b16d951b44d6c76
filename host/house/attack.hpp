// What `pfar doctor --attack` finds: each attempt of pfar-attack, bare and in each backend.
#pragma once

#include "house/house.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::house {

struct AttackCell {
    std::string outcome;     // of the control: works, none, broken; inside: refused, succeeded, unexpected, untried
    std::string how, detail; // the errno's name, "killed", "bounded" or "pfar"; and what was tried
};

struct AttackRow {
    std::string name, group, what;
    std::vector<AttackCell> cells; // as the columns
};

struct AttackReport {
    std::vector<std::string> columns; // bare, then the backends
    std::vector<AttackRow> rows;
    std::size_t successes = 0; // in sandboxes
    std::size_t doubts = 0; // in sandboxes: refused for another reason than expected, or not tried; and broken controls
};

/// Runs pfar-attack, which ships beside the shim, row by row, in a directory that is gone afterwards. `progress` is shown each row
/// when it is done. Takes about a quarter of a second per row and column. [main thread, may block]
Result<AttackReport> run_attacks(House const& house, std::vector<std::string> const& backends,
                                 std::function<void(AttackRow const&)> const& progress);

} // namespace pfar::house
