// Shell completion: the scripts, and the answers they ask for.
//
// The scripts know nothing. They pass the words typed so far to `pfar __complete`, so they never grow old.
#pragma once

#include "cli/console.hpp"

#include <string>
#include <vector>

namespace pfar::cli {

/// `words`: everything behind "pfar", the one under the cursor last. A candidate and its help a line, with a tab between; a line
/// ":files" where the shell should offer files.
int complete(std::vector<std::string> words, Console& console);

} // namespace pfar::cli
