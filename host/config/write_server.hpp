// Writes a new server file: a ServerSpec as the TOML that a person would have written.
#pragma once

#include "config/server_spec.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace pfar::config {

/// Only what differs from the default, in the order of the documentation, with short comments. Covers what `add` can say: everything but the access of tools, timeouts,
/// auth_files and the sandbox's finer settings. Text in it is written as it is to be expanded: see plain_text(). Pure. [any thread]
std::string write_server(ServerSpec const& spec);

/// `text` so that expand() gives it back: a ${ that is meant is written $${; ${PFAR_HOME}, ${auth.files} and ${socket} stay, if `keep_known`.
std::string plain_text(std::string_view text, bool keep_known);

/// True if it begins with one of those that a server file may have.
bool is_known_variable(std::string_view text);

/// `text` with another [server] command, and otherwise as it was. None if it cannot be told where that stands. Pure.
std::optional<std::string> with_command(std::string const& text, std::string const& command);

} // namespace pfar::config
