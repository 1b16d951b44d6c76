// The server that somebody named, if it may be used.
#pragma once

#include "config/survey.hpp"
#include "house/house.hpp"

namespace pfar::house {

/// `name` as in `pfar list`. The file has a spec. Errc::not_found, invalid (it has mistakes) or refused (it waits for trust) with the
/// remedy. [main thread, may block]
Result<config::SurveyedFile> find_server(House const& house, std::string const& name);

} // namespace pfar::house
