// Tokens: random words that let somebody in, each in a file that only the owner can read.
#pragma once

#include <pfar/result.hpp>
#include <pfar/secret.hpp>

#include <filesystem>

namespace pfar::house {

/// The one in this file; made if there is none. Errc::refused if others can read it. [may block]
Result<Secret> token_in(std::filesystem::path const& file);

} // namespace pfar::house
