// The sections of a server file, each read by one function; server_file.cpp calls them in order.
#pragma once

#include "config/server_file.hpp"
#include "config/table_reader.hpp"

#include <string>

namespace pfar::config {

/// What the readers of a file's sections share.
struct Reading {
    FileContext const& context;
    Variables variables; // what ${...} may be in args and env.set
    Variables path_variables;
};

LaunchSpec read_launch(TableReader& section, Reading const& reading);
SandboxSpec read_sandbox(TableReader& section, Reading const& reading);
Timeouts read_timeouts(TableReader& section);
void read_env(TableReader& section, Reading const& reading, ServerSpec& spec);

/// [auth] and [auth.files]: references to vault entries, never values.
void read_auth(TableReader& section, ServerSpec& spec);

/// [access]
Access read_access(TableReader& section, Reading const& reading);
/// [tools.*]. Needs the rest of `spec`: a tool may narrow what its server has, never widen it.
void read_tools(TableReader& section, Reading const& reading, ServerSpec& spec);

/// Refuses a path that would show pfar's own files: inside $PFAR_HOME (but for installed packages, if `packages`), or a directory that
/// holds all of it, if `above`. Links are followed where the file system may be looked at.
struct HomeRule {
    bool packages, above;
};
bool check_outside_home(TableReader& table, Text const& given, std::filesystem::path const& path,
                        Reading const& reading, HomeRule rule);

std::vector<DomainRule> read_domains(TableReader& table, std::string const& key);

/// The honesty rule: confinement belongs to a process, so access is declared where there is one.
void check_honesty(TableReader& root, ServerSpec const& spec);

} // namespace pfar::config
