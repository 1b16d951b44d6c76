// The vault's bell: whoever changes a credential rings it, and running servers of this home look whether they have the old one.
//
// It says nothing but "look": which one changed is the vault's secret. A file's time stamp is all there is on disk. The directory is watched, so
// that the bell is heard again when somebody has removed it.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <filesystem>

namespace pfar::house {

/// [any thread]
Result<void> ring_vault_bell(std::filesystem::path const& home);

class VaultBell {
public:
    static Result<VaultBell> listen(std::filesystem::path const& home);

    /// Readable when it may have rung.
    [[nodiscard]] int fd() const { return events_.number(); }
    /// Whether it rang; silences it.
    bool heard();

private:
    VaultBell(base::Fd events, std::filesystem::path home) : events_(std::move(events)), home_(std::move(home)) {}
    Result<void> watch();

    base::Fd events_;
    std::filesystem::path home_;
};

} // namespace pfar::house
