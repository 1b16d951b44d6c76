// The user's systemd, where there is one: a host that it runs has control groups of its own and outlives whoever started it.
#pragma once

#include "control/launch.hpp"

namespace pfar::control {

/// True if a host runs as a transient unit and is ready. False says nothing about why: then it is started without. [main thread, may block]
bool launch_as_unit(Launching const& launching);

/// sd_notify(3) in ten lines: "READY=1", if somebody wants to know. [any thread]
void notify_systemd(std::string_view state);

} // namespace pfar::control
