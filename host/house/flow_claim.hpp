// Claim: one conversation at a time about a server.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <filesystem>
#include <string>

namespace pfar::house {

/// run/flow-NAME.lock, as long as a conversation is about that server.
class Claim {
public:
    /// Errc::conflict if somebody else has it.
    static Result<Claim> take(std::filesystem::path const& run, std::string const& server);
    Claim(Claim&&) noexcept = default;
    Claim& operator=(Claim&&) = delete;
    ~Claim();

private:
    Claim(std::filesystem::path place, base::Fd lock) : place_(std::move(place)), lock_(std::move(lock)) {}
    std::filesystem::path place_;
    base::Fd lock_;
};

} // namespace pfar::house
