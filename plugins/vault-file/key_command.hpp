// key_command: a program that knows the key, such as `pass show pfar`, and what it prints.
#pragma once

#include <pfar/result.hpp>
#include <pfar/secret.hpp>

#include <chrono>

namespace pfar::vault_file {

inline constexpr std::size_t max_output = 4096;

/// Runs it by /bin/sh; its output without the line breaks at the end. Errors tell how it ended, never what it printed.
/// Errc::refused if it fails or prints nothing or too much, Errc::timeout.
Result<Secret> run_key_command(std::string const& command, std::chrono::milliseconds patience);

} // namespace pfar::vault_file
