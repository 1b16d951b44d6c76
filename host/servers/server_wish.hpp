// A server file as a wish, with the defaults of SPEC 6 where it says nothing.
#pragma once

#include "config/survey.hpp"
#include "servers/wish.hpp"

#include <pfar/result.hpp>

namespace pfar::servers {

/// What its own files are called: its name, and for a project's server whose it is, because another project may have one of that name. Pure.
std::string slug_of(config::SurveyedFile const& file);

/// `tool`: for a stateless server, the tool whose process it is; empty: the process that only lists. Errc::not_found for a tool of which the
/// file says nothing. [any thread]
Result<Wish> server_wish(config::SurveyedFile const& file, std::filesystem::path const& pfar_home,
                         std::string const& tool);

} // namespace pfar::servers
