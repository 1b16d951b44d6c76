// The vault's bell: whoever changes a credential rings it, and running servers of this home look whether they have the old one.
//
// It says nothing but "look": which one changed is the vault's secret. A file's time stamp is all there is on disk.
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

    /// Readable when it rang.
    [[nodiscard]] int fd() const { return events_.number(); }
    /// Silences it.
    void hear();

private:
    explicit VaultBell(base::Fd events) : events_(std::move(events)) {}
    base::Fd events_;
};

} // namespace pfar::house
