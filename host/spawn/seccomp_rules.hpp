// What the system call filter refuses, as data.
#pragma once

#include "spawn/seccomp.hpp"

#include <cstdint>
#include <vector>

namespace pfar::spawn {

/// The argument's bits under `mask` are `value`. The kernel's int arguments have 32 bits: what a program leaves in the upper half of the
/// register counts for nothing, so no mask reaches there.
struct ArgumentIs {
    unsigned argument;
    std::uint32_t mask, value;
};

/// The call fails with `error` if all conditions hold.
struct RefusedCall {
    char const* call;
    int error;
    std::vector<ArgumentIs> when;
};

/// [any thread]
std::vector<RefusedCall> seccomp_rules(FilterWishes const& wishes);

/// Conditions of which exactly one holds when the argument's lowest `width` bits are none of `allowed`: the filter's language knows no
/// "neither", so the rest of the numbers is named by its prefixes, as routes are.
std::vector<ArgumentIs> none_of(unsigned argument, std::vector<std::uint32_t> const& allowed, unsigned width);

} // namespace pfar::spawn
