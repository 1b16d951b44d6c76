// From argv to an exit code.
#pragma once

#include <string>
#include <vector>

namespace pfar::cli {

/// `words` without the program's name. [main thread]
int run(std::vector<std::string> const& words);

} // namespace pfar::cli
