// JSON laid out anew as text: what a number or a string was written as stays, so nobody is shown another number than the one that is sent.
#pragma once

#include <string>
#include <string_view>

namespace pfar::cli {

/// On one line, nothing between its parts. `json` has to be whole, here and below.
std::string on_one_line(std::string_view json);
/// Indented as to_text() does it, safe to show. Ends with a newline.
std::string indented(std::string_view json);

} // namespace pfar::cli
