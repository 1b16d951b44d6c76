// How a host is started by whoever needs one: in a session of its own, away from the starter's process group, terminal and directory.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string_view>

namespace pfar::control {

struct Launching {
    std::filesystem::path home;
    std::chrono::milliseconds patience = std::chrono::seconds(10);
    std::function<void(std::string_view)> note{}; // for a person who waits; may be empty
};

/// Returns when it is ready, or with the reason why it is not, in its own words; Errc::conflict if another was quicker.
/// As a transient unit of the user's systemd if there is one, so that it has control groups of its own. [main thread, may block]
Result<void> launch_host(Launching const& launching);

/// For the host so started: goes on in a process that is no child of the starter's. [main thread, before threads]
void leave_starter();
/// And its word to whoever waits: ready, or why not. Closes it.
void say_ready(base::Fd there, Result<void> const& ready);

} // namespace pfar::control
