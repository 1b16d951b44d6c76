// Each attempt is made twice, in a child without the filter (the control, which must end differently) and in one with it.
#pragma once

#include "spawn/seccomp.hpp"
#include "support/child.hpp"

#include <catch2/catch_test_macros.hpp>

#include <functional>

namespace test {

using Attempt = std::function<int()>;

inline std::string filter(pfar::spawn::FilterWishes const& wishes = {}) {
    return pfar::spawn::seccomp_program(wishes).value();
}

inline void check_refused(char const* name, int error, Attempt const& attempt,
                          pfar::spawn::FilterWishes const& wishes = {}) {
    INFO(name);
    CHECK(under(filter(wishes), attempt) == error);
    CHECK(in_child(attempt) != error);
}

inline void check_allowed(char const* name, Attempt const& attempt, pfar::spawn::FilterWishes const& wishes = {}) {
    INFO(name);
    CHECK(under(filter(wishes), attempt) == in_child(attempt));
}

} // namespace test
