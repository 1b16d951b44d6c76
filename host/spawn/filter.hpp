// The system call filter as bytes in the program: spawn/seccomp.cpp made them when the host was built, so that no start pays for it.
#pragma once

#include "spawn/seccomp.hpp"

#include <string_view>

namespace pfar::spawn {

/// An array of struct sock_filter. [any thread]
std::string_view filter(FilterWishes const& wishes);

} // namespace pfar::spawn
