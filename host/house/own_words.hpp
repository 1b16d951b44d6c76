// What pfar's own tools say to an agent and its person, and what these say back. Pure.
#pragma once

#include "flows/talk.hpp"

#include <pfar/server_registry.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string_view>

namespace pfar::house {

/// A line each, safe to show.
std::string joined_lines(std::vector<std::string> const& lines);

/// The question as a form that a client can show: params of an elicitation.
std::string form_params(flows::Question const& question, std::vector<std::string> const& said);
/// The question itself, behind what was wrong with the last answer.
std::string asked_words(flows::Question const& question);
/// What the person filled in; none: no.
std::optional<std::string> form_answer(flows::Question const& question, bool is_error, std::string_view payload);

/// What connecting does: package and domains. `answers`: JSON, of an agent; those that are in it stand in the domains.
std::string plan_words(KnownServer const& server, std::string_view answers);

/// What the agent has chosen for one that is connected already; empty if it leaves that to the owner.
std::string chosen_words(std::string const& connected, std::string_view answers);
/// The plan where there is no template: the agent's answers are all that the owner can go by.
std::string unknown_words(std::string const& service, std::string_view answers);

/// For a call that would go on with other answers than it began with.
Error under_way_otherwise();

/// Empty if it is none.
boost::json::object object_in(std::string_view written);

/// Errc::invalid for answers that do not fit, that the service's template does not ask for, and, if nobody can be asked, for want of one.
Result<void> check_answers(KnownServer const& server, std::string_view answers, bool can_ask);
/// The same where there is no template.
Result<void> check_unknown(std::string const& service, std::string_view answers);

/// Whether there is a credential in the arguments of one of our tools.
bool shows_credential(std::string_view arguments);

} // namespace pfar::house
