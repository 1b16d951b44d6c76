// The three completion scripts.
#pragma once

#include <string_view>

namespace pfar::cli {

/// For bash, zsh or fish; empty for any other.
std::string_view completion_script(std::string_view shell);

} // namespace pfar::cli
