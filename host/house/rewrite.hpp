// Putting another text in the place of a server's file, as the owner's own change.
#pragma once

#include "config/survey.hpp"
#include "house/house.hpp"

namespace pfar::house {

/// What is changed is what was found: Errc::conflict if the file is not what it was. [may block]
Result<std::string> read_same(config::SurveyedFile const& file);

/// Errc::refused with the remedy if the file or its directory may not be written. [may block]
Result<void> check_writable(config::SurveyedFile const& file, House const& house);

/// In place of the real file, so that a link stays one, with the mode it had and, for root, the owner too. The lock on the home is the caller's. [may block]
Result<void> rewrite(std::filesystem::path const& file, std::string const& text);

/// A project's file that was trusted stays trusted with this text. After the file: if this fails, it waits for trust, and nothing runs that nobody
/// agreed to. [may block]
Result<void> keep_trusted(House const& house, config::SurveyedFile const& file, std::string const& text);

/// The server of this name, whatever is the matter with its file: the one that is used; if there is none, one that waits for trust. Errc::not_found
/// names the nearest. [may block]
Result<config::SurveyedFile> find_file(House const& house, std::string const& name);

} // namespace pfar::house
