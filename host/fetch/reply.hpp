// What an agent is told of a response, as the JSON text of a tool's result: a short text with status and headers, then the body if it can be shown.
#pragma once

#include "fetch/transfer.hpp"

#include <string>

namespace pfar::fetch {

/// An HTTP status from 400 on is an error of the tool, and so is a redirect that was not followed. One line. [any thread]
std::string result_text(Response const& response);
/// What kept the request from being made or answered.
std::string failed_text(Error const& error);

} // namespace pfar::fetch
