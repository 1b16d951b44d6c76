// Secrets from a person or a pipe: never shown, never in memory that is not wiped.
#pragma once

#include <pfar/result.hpp>
#include <pfar/secret.hpp>

#include <string>

namespace pfar::cli {

/// Asks on the controlling terminal without showing what is typed. Errc::locked if there is none, Errc::refused if the person gave up.
/// [main thread, may block]
Result<Secret> ask_hidden(std::string const& prompt);

/// The same for a value that may be pasted: more than one line is Errc::invalid, and what follows is thrown away.
Result<Secret> ask_hidden_value(std::string const& prompt);

/// Asks twice. Errc::invalid if the two differ.
Result<Secret> ask_hidden_twice(std::string const& prompt);

/// Everything up to the end of `fd`. Errc::invalid if that is more than `limit`.
Result<Secret> read_secret(int fd, std::size_t limit);

/// Without the line break at the end of a single line; several lines as they are.
Secret without_line_end(Secret secret);

} // namespace pfar::cli
