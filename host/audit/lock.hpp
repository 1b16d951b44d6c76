// The lock between processes that write one record: flock on audit/lock.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <chrono>
#include <filesystem>

namespace pfar::audit {

/// Held from hold() until its end, or the end of the process.
class Held {
public:
    explicit Held(base::Fd file) : file_(std::move(file)) {}
    Held(Held&&) noexcept = default;
    Held& operator=(Held&&) = delete;
    ~Held();

private:
    base::Fd file_;
};

/// Errc::timeout if somebody else does not let go (a process that was stopped while writing), Errc::not_found if there is no such
/// directory. [any thread, may block]
Result<Held> hold(std::filesystem::path const& directory,
                  std::chrono::milliseconds patience = std::chrono::seconds(10));

} // namespace pfar::audit
