// JSON for scripts: indented, one value a line, so that diff and people can read it too.
#pragma once

#include <boost/json/fwd.hpp>

#include <string>

namespace pfar::cli {

/// Ends with a newline.
std::string to_text(boost::json::value const& value);

} // namespace pfar::cli
