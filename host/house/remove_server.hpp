// What `pfar remove` does: a server's file goes; what it leaves behind stays, or goes too if that is wanted.
#pragma once

#include "house/rewrite.hpp"
#include "house/vault.hpp"

namespace pfar::house {

struct Removal {
    config::SurveyedFile file;
    std::optional<std::filesystem::path> behind;    // the file that its link leads to, which stays
    std::optional<std::filesystem::path> successor; // another file of the name, which counts from then on
    std::vector<std::filesystem::path>
        leavings;                     // its state, its packages, its backup: what of it is there and nobody else's
    std::vector<std::string> entries; // of the vault, named by no other file that pfar knows of
    std::filesystem::path pins{};     // what of its tools was agreed to; empty: another file's, too
};

/// Changes nothing. Errors as find_file's; Errc::refused if it may not be removed. [main thread, may block]
Result<Removal> plan_removal(House const& house, std::string const& server);

struct Removed {
    std::vector<std::string> entries;                                  // that were in the vault, and are not any more
    std::vector<std::pair<std::filesystem::path, std::string>> left{}; // could not be removed, and why
};

/// The file, and its place on the list of trusted ones. With `purge` its leavings too; with a `vault`, its entries. Errc::conflict if the file
/// is not what it was. [main thread, may block]
Result<Removed> remove_server(House const& house, Removal const& removal, bool purge, Vault* vault);

} // namespace pfar::house
