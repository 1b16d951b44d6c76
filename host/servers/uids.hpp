// Kernel uids for the servers of a host that runs as root: none is 0, and no two at a time are the same.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace pfar::servers {

/// Taken as long as the lock is held; the kernel gives it back when the process ends, however it ends.
struct UidLease {
    uid_t uid;
    base::Fd lock;
};

/// For something that runs once. [may block]
Result<UidLease> lease_uid(std::filesystem::path const& pfar_home);

/// The uid of the server with this identity (its file), the same at every start: recorded in $PFAR_HOME/uids. [may block]
Result<uid_t> uid_of(std::filesystem::path const& pfar_home, std::string const& identity);

} // namespace pfar::servers
