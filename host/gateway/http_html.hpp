// Foreign text on the owner's page: nothing of it is ever markup.
#pragma once

#include <string>
#include <string_view>

namespace pfar::gateway {

/// Safe between tags and in quoted attributes. Control characters and those that reorder a line are shown as escapes.
std::string html(std::string_view text);
/// A JSON text with line breaks and blanks, as HTML, cut after `most` bytes of it with a note.
std::string pretty_html(std::string_view json, std::size_t most);

} // namespace pfar::gateway
