// Expansion: ${PFAR_HOME}, ${auth.files} and a leading ~ in the texts of a server file. $${ stands for a plain ${.
#pragma once

#include "config/values.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace pfar::config {

/// What a ${name} may be, and what it stands for; "~" for the user's home directory.
using Variables = std::map<std::string, std::string, std::less<>>;

/// The text with every variable replaced. A variable that is not among `variables` is a mistake, not an empty text. [any thread]
Parsed<std::string> expand(std::string_view text, Variables const& variables);

/// The same for a path; relative ones are relative to `base`. The result is absolute and lexically normal. [any thread]
Parsed<std::filesystem::path> expand_path(std::string_view text, Variables const& variables,
                                          std::filesystem::path const& base);

} // namespace pfar::config
