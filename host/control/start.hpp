// Finds the home's host, or starts one, or puts one of this build in the place of another: whatever it takes to be connected.
#pragma once

#include "control/client.hpp"
#include "control/launch.hpp"
#include "control/lock.hpp"

namespace pfar::control {

struct Finding {
    std::filesystem::path home;
    Identity own;
    std::filesystem::path directory;              // the caller's
    std::function<void(std::string_view)> note{}; // for a person who waits; may be empty
};

/// A host that answers, of whatever build. Errc::not_found if none runs. [may block]
Result<std::pair<Client, Greeting>> find_any_host(Finding const& finding);
/// The same, but one of another build is refused, with the remedy. Errc::not_found if none runs. [may block]
Result<Client> find_host(Finding const& finding);
/// However many look at once, one is started. An idle host of another build is replaced, once. [main thread, may block]
Result<Client> find_or_start_host(Finding const& finding);

/// True if there was one. It is asked, and if it does not answer, told by a signal. [may block]
Result<bool> stop_host(Finding const& finding);

} // namespace pfar::control
