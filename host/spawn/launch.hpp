// The only fork of the host.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace pfar::spawn {

inline constexpr int first_free = 64; // above every number that a plan gives

/// A descriptor of ours, and the number under which the new process finds it.
struct Placed {
    base::Fd source;
    int number;
};

struct Launch {
    std::vector<std::string> argv;          // argv[0] is an absolute path
    std::vector<Placed> files;              // those and no others
    std::vector<int> entrances;             // of control groups: the process enters them before it is anything else
    bool dies_with_us = true;               // false: it has another way to know
    std::vector<std::string> environment{}; // "NAME=value"
};

struct Launched {
    pid_t pid;
    base::Fd exit; // a pidfd: readable when it has ended
};

/// In a process group of its own, with this environment, default signals, and (if it dies with us) SIGKILL when the calling thread ends:
/// so call it from the main thread only. Errc::not_found if the program is not there. [main thread]
Result<Launched> launch(Launch const& launch);

/// A copy of `fd` at a number that no Placed can have. -1 stays -1.
Result<base::Fd> out_of_the_way(int fd);

/// A descriptor, out of the way too, from which `content` is read.
Result<base::Fd> readable(std::string_view content);

} // namespace pfar::spawn
