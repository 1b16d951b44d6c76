// From the command in a server file to the program that it means.
#pragma once

#include <pfar/result.hpp>

#include <filesystem>
#include <string>

namespace pfar::servers {

/// An absolute path is taken as it is; a bare name is looked up in the absolute directories of `search_path`. A version manager's
/// stand-in (pyenv, asdf, volta, mise) is asked for the real program. The answer is absolute, a regular file and executable;
/// links in it are not resolved. Errc::not_found, invalid or unavailable with the remedy. [main thread, may block]
Result<std::filesystem::path> find_command(std::string const& command, std::string const& search_path,
                                           std::filesystem::path const& user_home);

} // namespace pfar::servers
