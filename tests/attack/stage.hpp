// Starting an attempt, bare or in a sandbox, and seeing how it ended.
#pragma once

#include "attack.hpp"

namespace attack {

struct Performance {
    std::vector<std::string> argv, environment;
    Staging staging = Staging::plain;
    std::string leaked;     // a file that is open at descriptor 9 by mistake
    bool unbounded = false; // a flood goes to a file, which takes everything
};

struct Ending {
    int status = -1;  // exit code, or 128 + signal; -1: it did not end within 30 s
    std::string text; // what it wrote, both streams
};

Ending perform(Performance const& performance);

/// Starts a heartbeat by `start` (with the attempt's own command line added), kills what it started and only that, and looks
/// whether the heart still beats after it.
Outcome outlives(Facts const& facts, std::vector<std::string> start, std::vector<std::string> const& environment);

/// KEY=VALUE for each.
std::vector<std::string> as_arguments(Facts const& facts);

/// One row in all columns, with a scene of its own; prints tab separated lines. 12: there is no such row.
int run_row(std::size_t index, std::string const& pfar, std::string const& directory,
            std::vector<std::string> const& backends);

} // namespace attack
