// HostLock: who holds run/host.lock is the home's host. The file is never removed, so two can never hold two files of that name.
#pragma once

#include "control/identity.hpp"
#include "control/run_directory.hpp"

#include <chrono>
#include <optional>

namespace pfar::control {

/// What a holder wrote into the file.
struct Holder {
    pid_t pid = 0; // 0: not known
    Identity identity;
};

class HostLock {
public:
    /// Held until this goes or the process ends, however it does. What another left in the file is overwritten.
    /// Errc::conflict, with the pid, if somebody holds it. [main thread, may block for a moment]
    static Result<HostLock> take(RunDirectory const& run, Identity const& own);

private:
    explicit HostLock(base::Fd file) : file_(std::move(file)) {}

    base::Fd file_;
};

/// None if nobody holds it. [any thread]
std::optional<Holder> holder(RunDirectory const& run);
/// True once nobody holds it. [may block]
bool wait_until_free(RunDirectory const& run, std::chrono::milliseconds patience);

/// A lock that is held for moments by whoever starts a host. Errc::timeout. [may block]
Result<base::Fd> lock_start(RunDirectory const& run, std::chrono::milliseconds patience);

} // namespace pfar::control
