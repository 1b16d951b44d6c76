// What commands that talk to the host have in common: finding or starting it, asking it, and its JSON.
#pragma once

#include "cli/command.hpp"
#include "control/start.hpp"

#include <boost/json/value.hpp>

#include <optional>

namespace pfar::cli {

/// Whom to look for. Complains and sets `code` if there can be no home.
std::optional<control::Finding> host_of_home(Console& console, int& code);
/// Connected, and started before if there was none. Complains and sets `code` otherwise.
std::optional<control::Client> reach_host(Console& console, int& code);

/// The host's answer. Complains and sets `code` if it is an error.
std::optional<boost::json::value> ask_host(control::Client& client, control::Question const& question, Console& console,
                                           int& code);

/// reach_host and ask_host in one.
std::optional<boost::json::value> ask_any_host(control::Question const& question, Console& console, int& code);

/// Has the host write what it has not yet written to the record. Without a host nothing waits, and one that hangs is not waited for.
void settle_record();

/// A member as text that is safe to show; empty if it is not there or null.
std::string text_of(boost::json::value const& object, std::string_view key);
std::int64_t number_of(boost::json::value const& object, std::string_view key);
bool flag_of(boost::json::value const& object, std::string_view key);
/// The elements of a member that is an array; none otherwise.
std::vector<boost::json::value> elements_of(boost::json::value const& object, std::string_view key);

/// "once", "3 times": its count, for people.
std::string times(boost::json::value const& blocked);
/// "3 min", "2 h 5 min", for people.
std::string duration_text(std::int64_t seconds);

} // namespace pfar::cli
