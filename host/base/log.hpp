// The host's own log: stderr, quiet unless asked, and a rotating file in $PFAR_HOME/log.
//
// Written through spdlog's default logger. A pfar::Secret has no formatter, so it cannot be logged; what a server echoes of one is redacted.
#pragma once

#include <pfar/plugin.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pfar::base {

class Redactor;

/// The words that --log and PFAR_LOG take, most talkative first.
std::vector<std::string_view> log_levels();

/// Sets up stderr at `level` ("" means errors only). Errc::invalid for an unknown word. [main thread, once, before threads]
Result<void> start_log(std::string_view level);

/// Adds the rotating file, 3 times 1 MiB, from `info` on, or from the level asked for if that says more.
/// A directory that cannot be written is no reason to stop: it is said in the log, and that is all. [main thread]
void log_to_file(std::filesystem::path const& directory);

/// What would go to stderr goes there instead, a whole line with its end at a time, from any thread. [main thread, before threads]
void log_lines_to(std::function<void(std::string_view line)> there);

/// From now on no line has one of its secrets, in any of its forms. [any thread]
void redact_log(std::shared_ptr<Redactor const> redactor);

/// For PluginContext::log: a plugin's lines carry its name. [any thread]
void log_plugin_line(std::string_view plugin, LogLevel level, std::string_view line);

} // namespace pfar::base
