// Identity: which pfar a process is. Two of one version may still be two builds, so the file itself counts.
#pragma once

#include <pfar/result.hpp>

#include <string>

namespace pfar::control {

struct Identity {
    std::string version; // "0.1.0"
    std::string build;   // device:inode:time of the program's file

    bool operator==(Identity const&) const = default;
};

/// Of this process, whose file may have been replaced since it began. [any thread]
Result<Identity> own_identity(std::string version);

} // namespace pfar::control
