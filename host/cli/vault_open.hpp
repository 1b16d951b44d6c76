// What the commands of `pfar vault` begin and end with.
#pragma once

#include "cli/open.hpp"
#include "house/credentials.hpp"
#include "house/record.hpp"

#include <map>
#include <memory>

namespace pfar::cli {

/// A house, its vault, and who uses what.
struct OpenedVault {
    OpenedVault(house::House opened, house::Vault its)
        : house(std::move(opened)), vault(std::move(its)), record(house) {}

    house::House house;
    house::Vault vault;
    house::Record record;
    std::map<std::string, std::vector<std::string>> users;

    /// "notion and github", or empty.
    [[nodiscard]] std::string users_of(std::string const& entry) const;
};

/// Asks on the terminal for a passphrase: once, or twice for a new one.
house::Vault::Ask ask_passphrase(Console& console);

/// Complains and sets `code` if there is none.
std::unique_ptr<OpenedVault> open_vault(Console& console, int& code);

inline constexpr std::size_t most_value = 64U << 10U;

/// With the nearest of those that there are.
Error no_such_entry(std::string const& name, std::vector<Credential> const& listed);

/// Complains if it is none.
bool is_entry_name(std::string const& name, Console& console);

/// Running servers look whether theirs has changed.
void ring(OpenedVault const& opened, Console& console);

} // namespace pfar::cli
