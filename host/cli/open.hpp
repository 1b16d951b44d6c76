// What most commands begin with: the house, or the reason there is none, told.
#pragma once

#include "cli/command.hpp"
#include "house/house.hpp"

#include <optional>

namespace pfar::cli {

/// Complains and sets `code` if the house cannot be opened or, unless `tolerant`, pfar.toml has errors.
std::optional<house::House> open(Console& console, int& code, bool tolerant = false);
/// For a command that needs no plugins but sandbox backends; with `backend`, only the one that it means first.
std::optional<house::House> open_for_sandbox(Console& console, int& code, std::string const& backend = "");

/// For a command that needs no plugins but the credential store, which it loads itself.
std::optional<house::House> open_for_vault(Console& console, int& code);

/// PATH of whoever runs this, where commands are looked up.
std::string search_path();

/// All mistakes of a file as compilers print them, coloured on a terminal.
std::string describe_all(Console const& console, std::filesystem::path const& file,
                         std::vector<config::Mistake> const& mistakes);

} // namespace pfar::cli
