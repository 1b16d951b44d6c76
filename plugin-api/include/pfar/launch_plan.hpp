// LaunchPlan: what a backend answers: the command line that enforces a policy, and what the shim still has to do inside.
//
// Plain data. host/spawn has the only fork; it gives the first program an empty environment and no descriptor but 0 to 2,
// `data` and, if there are `orders`, the shim's socket at `orders_fd`.
#pragma once

#include <pfar/sandbox_policy.hpp>

namespace pfar {

inline constexpr int orders_fd = 3;

/// Bytes that the launched program finds to read at a descriptor.
struct DataFd {
    int fd; // above orders_fd
    std::string content;
};

/// A path beneath which the shim allows `rights` by Landlock; everything else is denied once there is one rule.
struct LandlockRule {
    std::filesystem::path path;
    Rights rights;
};

/// What pfar-shim does once it runs, in this order; then it executes `command`.
struct ShimOrders {
    Network network;
    std::optional<Identity> become; // switch to this identity; none: stay
    Limits limits;
    std::vector<LandlockRule> landlock;
    bool seccomp = false;
    Command command;
};

/// One line of `pfar plan`.
struct MountLine {
    std::filesystem::path path;
    std::string mode; // "ro", "rw", "tmpfs 64m"
    std::string why;
};

struct LaunchPlan {
    std::vector<std::string> argv; // argv[0] is an absolute path
    std::vector<DataFd> data;
    std::optional<ShimOrders> orders;
    std::vector<MountLine> mounts;
    Guarantees guarantees; // what this very plan keeps
};

} // namespace pfar
