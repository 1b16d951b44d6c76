// A child that is stopped before every system call that changes the disk or the keyring, and killed there: every point
// at which a kill can make a difference, one after the other.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace pfar::vault_file {

struct Traced {
    bool killed = false;            // false: it came to its end
    int status = 0;                 // its wait status
    std::string problem;            // it cannot be traced, and why
    std::vector<std::string> steps; // "openat .secrets.new", "fsync", ...
};

/// Runs `body` in a child that is killed instead of its step number `at` (from 0).
Traced run_until(std::size_t at, std::function<void()> const& body);

} // namespace pfar::vault_file
