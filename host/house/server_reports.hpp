// What is told about servers, as JSON: the shapes of SPEC 4, and more.
#pragma once

#include "house/roster.hpp"
#include "house/semantics_room.hpp"
#include "pipeline/offer.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace pfar::house {

boost::json::object list_row(servers::Server const& server);
boost::json::object list_row(Roster::Idle const& idle);
boost::json::object status_of(servers::Server& server);
/// `semantics` is for what scripts say about them.
void add_tools(boost::json::array& out, servers::Server const& server, pipeline::Offer const& offer,
               SemanticsRoom& semantics);

} // namespace pfar::house
