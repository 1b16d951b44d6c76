// $PFAR_HOME/run: where a host and those who look for it meet. Nobody else may even enter.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <sys/un.h>

#include <filesystem>

namespace pfar::control {

inline constexpr char socket_name[] = "pfar.sock";

class RunDirectory {
public:
    /// Makes it (0700) if it is missing; one of ours that others could enter is closed to them. [any thread]
    static Result<RunDirectory> open(std::filesystem::path const& home);

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    [[nodiscard]] int fd() const { return directory_.number(); }
    /// Good as long as this lives: a path that is too long for an address is led through the descriptor.
    [[nodiscard]] sockaddr_un socket_address() const;

private:
    RunDirectory(std::filesystem::path path, base::Fd directory)
        : path_(std::move(path)), directory_(std::move(directory)) {}

    std::filesystem::path path_;
    base::Fd directory_;
};

} // namespace pfar::control
