// Takes a command line apart by a command's table.
#pragma once

#include "cli/command.hpp"

#include <pfar/result.hpp>

#include <string>
#include <vector>

namespace pfar::cli {

enum class Operands { anywhere, first_ends_options };

/// `words` without the program's or command's own name. Errc::invalid with a suggestion for what is not understood. [main thread]
Result<Arguments> parse(std::vector<std::string> const& words, std::vector<Option> const& options, Operands operands);

/// The number of operands fits, and values that must be one of a few words are.
Result<void> check_operands(Command const& command, Arguments const& arguments);

/// The command's own options and the ones that all have.
std::vector<Option> options_of(Command const& command);

} // namespace pfar::cli
