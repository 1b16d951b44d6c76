// The system call filter of a sandbox, as the bytes that the kernel takes.
//
// Everything is allowed but what spawn/seccomp_rules.cpp lists: servers are any program at all, so a list of what they may call
// would break some of them with every new libc. Calls of a foreign ABI (int 0x80, x32), to which the list does not apply, kill.
#pragma once

#include <pfar/result.hpp>

#include <string>

namespace pfar::spawn {

struct FilterWishes {
    bool deny_sockets = false;       // there is no network namespace: neither internet nor Unix sockets
    bool deny_hidden_memory = false; // memory is sampled: none that no process maps
    bool deny_unix = false; // directories of the machine are shown, and with them perhaps sockets; pairs are allowed
};

/// An array of struct sock_filter, for seccomp(2) after no_new_privs or for `bwrap --seccomp`. Made once for each combination of
/// wishes. Errc::unsupported where libseccomp cannot make it. [any thread]
Result<std::string> seccomp_program(FilterWishes const& wishes);

} // namespace pfar::spawn
