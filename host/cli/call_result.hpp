// A tool's result for people: its texts as they are, and a line about everything that is no text.
#pragma once

#include <string>
#include <string_view>

namespace pfar::cli {

/// `result`: an MCP result object. Ends with a newline unless it is empty. Pure.
std::string result_text(std::string_view result);

/// The same lines, with nothing in them that a terminal would obey.
std::string safe_lines(std::string_view text);

} // namespace pfar::cli
